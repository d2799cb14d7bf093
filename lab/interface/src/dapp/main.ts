/**
 * Plays a session of a page for swaps through `plumbline proxy --checkpoint`, and prints which answers are proven.
 *
 *     pnpm lab dapp
 *
 * The chain is the service's own, with contracts that the program deploys. Each answer is compared with the node's own.
 * The exit code is 1 if one differs, or if less than 99 % of the reads are VERIFIED.
 */
import { play } from "./playSession.ts"
import { openExchange } from "./proxies.ts"
import { lines, verifiedPart } from "./sessionReport.ts"
import { session } from "./swapSession.ts"

await using open = await openExchange()
const played = await play(session(open.exchange), open.proxy.url, open.node)
for (const line of lines(played)) console.log(line)
const isTrue = played.every(({ difference }) => difference === undefined)
process.exitCode = isTrue && verifiedPart(played) >= 0.99 ? 0 : 1
