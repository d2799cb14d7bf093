/**
 * Makes the history chain: plays the story of history/historyStory.ts with ethereumjs, from Frontier to Osaka, and writes
 *
 * - history/archive.rlp, all that `History` serves: blocks, receipts, senders, trie nodes and code;
 * - history/chain.json, the data behind the module HistoryChain.
 *
 * Two runs write the same bytes: keys, nonces, fees, gas and times are fixed, signatures are deterministic (RFC 6979),
 * the compiler leaves its metadata out, and randomness follows from the number of the block. A test makes the chain
 * again and compares. New versions of ethereumjs or solc may change the hashes; then run this again and review the
 * changes.
 */
import { execFileSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import * as path from "node:path"

import * as Files from "./history/files.ts"
import { story as tell } from "./history/historyStory.ts"
import { play } from "./history/play.ts"

const root = path.resolve(import.meta.dirname, "..")
const story = tell()
const chain = await play(story)
const archive = Files.archive(chain)
mkdirSync(path.join(root, "history"), { recursive: true })
writeFileSync(path.join(root, "history/archive.rlp"), archive)

const data = path.join(root, "history/chain.json")
writeFileSync(data, `${JSON.stringify(Files.index(chain, story))}\n`)
execFileSync(path.resolve(root, "../../node_modules/.bin/oxfmt"), [data], { stdio: "inherit" })

const { blocks, codes, nodes } = chain
const uncles = blocks.map((block) => block.uncleHeaders.length)
console.log(
  `${blocks.length} blocks, ${uncles.reduce((sum, count) => sum + count, 0)} uncles in ` +
    `${uncles.filter((count) => count > 0).length} of them, ${nodes.length} trie nodes, ${codes.length} codes, ` +
    `${Math.round(archive.length / 1000)} kB`
)
