import type { Database, DatabaseEngine } from "../database.ts"

export const postgres: DatabaseEngine = {
  takes: "a postgres:// URL",
  at(url) {
    if (!/^postgres(ql)?:\/\/./.test(url)) return null
    const openDecisions: Database["openDecisions"] = async ({
      connections: poolMax = 1,
      ...use
    }) => {
      const { openPostgresDecisions } = await import("./decisions.ts")
      return await openPostgresDecisions({ url, poolMax, ...use })
    }
    return {
      name: "PostgreSQL",
      isShared: true,
      async openRecords({ connections: poolMax = 1, auditKey, onEvents }) {
        const { openPostgresRecords } = await import("./records.ts")
        return await openPostgresRecords({
          ...{ url, poolMax },
          ...(auditKey && { auditKey }),
          ...(onEvents && { onEvents }),
        })
      },
      async copyRecords({ auditKey }) {
        const { copyPostgresRecords } = await import("./records.ts")
        return copyPostgresRecords({ url, ...(auditKey && { auditKey }) })
      },
      mayHoldDecisions: () => true,
      openDecisions,
      readDecisions: openDecisions,
    }
  },
}
