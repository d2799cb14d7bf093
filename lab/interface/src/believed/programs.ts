/** The programs that are run against each lie, as shell commands. `{url}` is the URL of the node that lies. */
import { execFileSync, spawnSync } from "node:child_process"
import * as path from "node:path"

import * as Facts from "../clients/facts.ts"
import { MAIN } from "../program.ts"

/** A program, and the command that runs it. */
export interface Program {
  readonly name: string
  readonly command: string
  /** True if the program checks proofs. It must then believe no lie that a proof refutes. */
  readonly proves: boolean
}

const { block, counter, head, listed, token, transactions, trust, who } = Facts.history

/** cast, in the same version as the anvil of devnet. It has 60 MB, so it is downloaded only for this report. */
const CAST = "@foundry-rs/cast@1.7.1"

/** Returns the path of cast: from PATH, or else from the npm registry. */
const findCast = (): string => {
  if (spawnSync("cast", ["--version"]).status === 0) return "cast"
  const shims = ["--yes", `--package=${CAST}`, "--", "node", "-p", "process.env.PATH.split(path.delimiter)[0]"]
  const packages = path.dirname(execFileSync("npx", shims, { encoding: "utf8" }).trim())
  // returns the binary itself, because the wrapper in the npm package exits with 0 even after a failure
  const arch = process.arch === "x64" ? "amd64" : process.arch
  return path.join(packages, "@foundry-rs", `cast-${process.platform}-${arch}`, "bin", "cast")
}

const node = `'${process.execPath}' --disable-warning=ExperimentalWarning`
const suite = `${node} '${path.join(import.meta.dirname, "believingSuite.ts")}'`

/** Commands of cast that read the same data as the suites. */
const casts: ReadonlyArray<string> = [
  "chain-id",
  "block --json",
  `block ${head - 1} --json`,
  `block ${head - 2} --json`,
  `block ${block.hash} --full --json`,
  `tx ${transactions.at(-1)} --json`,
  `tx ${listed} --json`,
  `receipt ${transactions.at(-1)} --json`,
  `rpc eth_getBlockReceipts ${block.hash}`,
  `logs --from-block ${head - 15} --to-block ${head} --json`,
  `balance ${who} --block ${head}`,
  `nonce ${who} --block ${block.number}`,
  `code ${token} --block ${head}`,
  `storage ${counter} 0 --block ${head}`,
  `proof ${counter} 0 --block ${head}`,
  "block-number",
  "gas-price",
  `publish --async ${Facts.raw}`,
  `call ${token} --data 0x`
]

/** Our commands that read the same data, as a script that continues only after VERIFIED answers. */
const ours: ReadonlyArray<string> = [
  `block ${head - 1}`,
  `block ${block.number}`,
  `tx ${listed}`,
  `proof ${who} --block ${head}`,
  `read-slot ${counter} 0 --block ${head}`
]

/** Returns all programs. */
export const all = (): ReadonlyArray<Program> => {
  const cast = findCast()
  return [
    ...["viem", "ethers", "web3.js"].map((name) => ({ name, command: `${suite} ${name}`, proves: false })),
    { name: "cast", command: casts.map((args) => `'${cast}' ${args} --rpc-url {url}`).join(" && "), proves: false },
    { name: "viem behind the proxy", command: `${suite} viem --behind`, proves: true },
    {
      name: "plumbline",
      command: ours
        .map(
          (args) =>
            `${node} '${MAIN}' ${args} --url {url} --trust ${trust} --retries 0 --json | grep '^{"verdict":"VERIFIED"'`
        )
        .join(" && "),
      proves: true
    }
  ]
}
