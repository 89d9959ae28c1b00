import "@mantine/core/styles/baseline.css"
import "@mantine/core/styles/default-css-variables.css"
import "@mantine/core/styles/global.css"
import "./ui/mantine.css"
import "./ui/console.css"
import { MantineProvider } from "@mantine/core"
import { QueryClientProvider } from "@tanstack/react-query"
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import { App } from "./app.tsx"
import { facts } from "./ui/facts.ts"
import { queries } from "./ui/service.ts"
import { theme } from "./ui/theme.ts"

// The lock of the page behind a dialog adds a style element too, and asks for its nonce by this
// name.
Object.assign(globalThis, { __webpack_nonce__: facts.nonce })

const place = document.getElementById("console")
if (place === null) throw new Error("The page has no place for the console")

createRoot(place).render(
  <StrictMode>
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => facts.nonce}>
      <QueryClientProvider client={queries}>
        <App />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
)
