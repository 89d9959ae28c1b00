import type { SessionDetails } from "@assay/client"
import { Button, Menu, useMantineColorScheme } from "@mantine/core"
import { lazy, type ReactElement, type ReactNode, Suspense, useState } from "react"
import { Link, useLocation } from "wouter"
import type { Page } from "./pages.ts"
import { facts } from "./ui/facts.ts"
import { forgetEverything, service } from "./ui/service.ts"
import { forgetWork } from "./work/work.ts"

const Tray = lazy(async () => ({ default: (await import("./tray.tsx")).Tray }))
const Palette = lazy(async () => ({ default: (await import("./palette.tsx")).Palette }))

/** Navigation on the left, or at the bottom on a phone, and a page. */
export function Frame(props: {
  readonly session: SessionDetails
  readonly pages: readonly Page[]
  readonly children: ReactNode
}): ReactElement {
  const { session, pages, children } = props
  const [path] = useLocation()
  const [open, setOpen] = useState(false)
  const hasInbox = facts.hasInbox && session.roles.includes("drop-recipient")
  const groups = [...new Set(pages.map(({ group }) => group))]
  return (
    <div className="frame">
      <nav aria-label="Console" data-open={open}>
        <div className="nav-top">
          <Link href="/console" className="brand">
            Assay
          </Link>
          <Button
            className="nav-toggle"
            size="compact-sm"
            variant="default"
            aria-expanded={open}
            onClick={() => setOpen(!open)}
          >
            Pages
          </Button>
        </div>
        <div className="nav-groups">
          {groups.map((group) => (
            <section key={group} className="nav-group" aria-label={group}>
              <h2>{group}</h2>
              {pages
                .filter((page) => page.group === group)
                .map(({ path: to, title }) => (
                  <Link
                    key={to}
                    href={to}
                    className="nav-link"
                    aria-current={path === to || path.startsWith(`${to}/`) ? "page" : undefined}
                    onClick={() => setOpen(false)}
                  >
                    {title}
                  </Link>
                ))}
            </section>
          ))}
          {hasInbox && (
            <section className="nav-group" aria-label="Drop">
              <h2>Drop</h2>
              {/* A page of its own, with a stricter policy: it is loaded anew. */}
              <a href="/console/drop" className="nav-link">
                Inbox
              </a>
            </section>
          )}
          <Person session={session} />
        </div>
      </nav>
      <main>{children}</main>
      <Suspense fallback={null}>
        <Palette pages={pages} hasInbox={hasInbox} />
        <Tray hasImports={session.roles.includes("administrator")} />
      </Suspense>
    </div>
  )
}

function Person({ session }: { readonly session: SessionDetails }): ReactElement {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const signOut = async (): Promise<void> => {
    await forgetWork()
    await service.signIn.out()
    await forgetEverything()
  }
  const act = async (tenantId: number | null): Promise<void> => {
    await forgetWork()
    await service.signIn.actIn(tenantId)
    await forgetEverything()
  }
  const others = session.memberships.filter(({ tenant_id }) => tenant_id !== session.tenant_id)
  return (
    <div className="nav-group">
      <Menu width={220} position="top-start">
        <Menu.Target>
          <Button variant="default" fullWidth justify="flex-start" h="auto" py="xs">
            <span className="person">
              <strong>{session.name}</strong>
              <span className="soft">{session.tenant ?? "the service"}</span>
            </span>
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {others.map(({ tenant_id, tenant }) => (
            <Menu.Item key={tenant_id} onClick={() => void act(tenant_id)}>
              Act in {tenant}
            </Menu.Item>
          ))}
          {(["auto", "light", "dark"] as const)
            .filter((scheme) => scheme !== colorScheme)
            .map((scheme) => (
              <Menu.Item key={scheme} onClick={() => setColorScheme(scheme)}>
                {scheme === "auto" ? "Colours of the system" : `Use ${scheme} colours`}
              </Menu.Item>
            ))}
          <Menu.Item component="a" href="/docs">
            API reference
          </Menu.Item>
          <Menu.Item onClick={() => void signOut()}>Sign out</Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </div>
  )
}
