// node scripts/pictures.ts: takes the pictures of README.md and docs/tour.md anew, from the demo in
// this machine's Chromium. To be run after a page of the console changed.
import { runCommand } from "./run-command.ts"

const prepared = await runCommand([process.execPath, "scripts/prepare.cjs"])
process.exitCode =
  prepared === 0
    ? await runCommand(
        [process.execPath, "--conditions=source", "--test", "tests/browser/tour.test.ts"],
        { env: { PICTURES: "write", CI: "true" } },
      )
    : prepared
