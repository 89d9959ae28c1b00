import { join } from "node:path"
import react from "@vitejs/plugin-react"
import { defineConfig } from "vite"

const source = join(import.meta.dirname, "src")

export default defineConfig({
  root: source,
  base: "/console/files/",
  logLevel: "warn",
  plugins: [react()],
  resolve: { conditions: ["source", "browser", "module", "import", "default"] },
  build: {
    assetsDir: "",
    modulePreload: { polyfill: false },
    // Nothing is inlined: the policy of the pages allows no data.
    assetsInlineLimit: 0,
    target: ["es2022", "firefox115", "chrome115", "safari16"],
    rolldownOptions: { input: join(source, "main.tsx") },
  },
})
