// Makes the sender's worker small enough for a slow line: it leaves out the parts of age that the
// drop refuses to use.
import { basename } from "node:path"
import type { Plugin } from "esbuild"

/** Marks a question that this plugin itself asks. */
const OWN = "lean-age"

const NOTHING = `const refuse = () => { throw new Error("this part of age was left out") }`

/**
 * The replacements for modules. The NIST curves serve keys that begin with age1tag, which mark
 * every message with who can open it, and scrypt serves passphrases; both are refused before they
 * could be used. The library builds its tables of curves while it loads, so the replacements have
 * the members it reads.
 */
const standIns: Readonly<Record<string, string>> = {
  "nist.js": `${NOTHING}
    const lengths = { seed: 1, secretKey: 1, publicKey: 1, publicKeyUncompressed: 1 }
    const curve = { lengths, Point: { Fn: {} }, keygen: refuse, getPublicKey: refuse, getSharedSecret: refuse }
    export const p256 = curve, p384 = curve`,
  "scrypt.js": `${NOTHING}
    export const scrypt = refuse`,
}

/**
 * Also takes one version of each library if the lockfile has two, because a part of age requires an
 * older one. The test vectors of age run against the result.
 */
export const leanAge: Plugin = {
  name: OWN,
  setup(build) {
    const { absWorkingDir } = build.initialOptions
    build.onResolve({ filter: /^@noble\/(curves|hashes)\// }, ({ path, kind, pluginData }) => {
      if (pluginData === OWN || absWorkingDir === undefined) return undefined
      return build.resolve(path, { kind, resolveDir: absWorkingDir, pluginData: OWN })
    })
    build.onLoad({ filter: /@noble\/(curves\/nist|hashes\/scrypt)\.js$/ }, ({ path }) => {
      const contents = standIns[basename(path)]
      return contents === undefined ? undefined : { contents, loader: "js" }
    })
  },
}
