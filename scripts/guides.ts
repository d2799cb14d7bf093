/**
 * Writes the guides of a package beside its sources, before it is packed: `AGENTS.md`, and pages of `docs` in `guides/`.
 *
 * They are made for the tarball and kept out of git, because each page is copied into several packages.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import * as path from "node:path"

import { root } from "./workspace.ts"

const basics = ["guides/first-program", "concepts/verdicts", "concepts/effect-in-five-minutes"]

/** The pages of each package, as paths below `docs`. Packages that are not listed get only `AGENTS.md`. */
const pages: Readonly<Record<string, ReadonlyArray<string>>> = {
  "@plumbline/beacon-light-client": [
    "guides/trust-a-light-client",
    "guides/sign-only-what-is-proven",
    "concepts/trust"
  ],
  "@plumbline/cli": ["guides/run-the-service", "guides/serve-customers"],
  "@plumbline/contracts": ["guides/read-a-contract", "concepts/verdicts"],
  "@plumbline/devnet": ["guides/first-program"],
  "@plumbline/ens": ["guides/ens-to-ipfs"],
  "@plumbline/eth-methods": [...basics, "guides/read-a-chain", "concepts/trust", "concepts/what-is-checked"],
  "@plumbline/gateway": ["guides/run-the-service", "guides/serve-customers", "guides/extend"],
  "@plumbline/gateway-admin": ["guides/serve-customers"],
  "@plumbline/ipfs-client": ["guides/ipfs", "migration/from-kubo-rpc-client"],
  "@plumbline/jsonrpc-core": ["guides/extend"],
  "@plumbline/op-stack": ["guides/trust-an-op-stack-chain", "guides/sign-only-what-is-proven", "concepts/trust"],
  "@plumbline/proof-bundle": ["guides/keep-a-proof"],
  "@plumbline/provider": [
    "guides/proofs-for-viem",
    "migration/from-viem",
    "migration/from-ethers",
    "migration/from-web3"
  ],
  "@plumbline/second-chain-methods": ["guides/pending-transactions"],
  "@plumbline/storage-layout": ["guides/prove-a-variable"],
  "@plumbline/verdict": ["concepts/verdicts", "concepts/trust"],
  "@plumbline/verified-calls": ["guides/read-a-contract", "concepts/trust"]
}

/** The files and folders that `write` makes, for `.gitignore` and the check of a release. */
export const made: ReadonlyArray<string> = ["AGENTS.md", "guides"]

/** Writes the guides of the package in `dir`. */
export const write = (dir: string): void => {
  const { name }: { readonly name: string } = JSON.parse(readFileSync(path.join(dir, "package.json"), "utf8"))
  const { homepage }: { readonly homepage: string } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"))
  const own = pages[name] ?? []
  for (const file of made) rmSync(path.join(dir, file), { recursive: true, force: true })
  const link = linksTo(own, `${homepage}/tree/main/docs`)
  const list = own.map((page) => `- [${titleOf(page)}](guides/${path.basename(page)}.md)`)
  const guides = list.length === 0 ? [] : ["", "## Guides in this package", "", ...list]
  const notes = link("for-agents", read("for-agents")).replace(/^# .+$/m, `# ${name}, for programs that write programs`)
  writeFileSync(path.join(dir, "AGENTS.md"), [notes.trimEnd(), ...guides, ""].join("\n"))
  if (own.length > 0) mkdirSync(path.join(dir, "guides"))
  for (const page of own) {
    writeFileSync(path.join(dir, "guides", `${path.basename(page)}.md`), link(page, read(page)))
  }
}

const read = (page: string): string => readFileSync(path.join(root, "docs", `${page}.md`), "utf8")

const titleOf = (page: string): string => /^# (.+)$/m.exec(read(page))![1]!

/**
 * Rewrites the links of a page. Links to pages in the same package stay relative; all others lead to the repository.
 */
const linksTo =
  (shipped: ReadonlyArray<string>, docs: string) =>
  (page: string, text: string): string =>
    text.replaceAll(/\]\((?!https?:|#)([^)#]+)(#[^)]*)?\)/g, (_, target: string, anchor: string = "") => {
      const place = path.posix.join(path.posix.dirname(page), target)
      return shipped.includes(place.replace(/\.md$/, ""))
        ? `](${path.posix.basename(place)}${anchor})`
        : `](${new URL(`${docs}/`).origin}${path.posix.join(new URL(docs).pathname, place)}${anchor})`
    })

if (import.meta.main) write(process.cwd())
