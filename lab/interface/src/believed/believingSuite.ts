/**
 * A program that trusts its node: the suite of one client over HTTP, at `$ETH_RPC_URL`, on the history chain.
 *
 * It prints what it reads, and exits with 1 if a read failed. Arguments: the name of the client, then `--behind` to ask
 * through its own `plumbline proxy`, which knows the head. The proxy refuses `eth_call`, so with `--behind` the suite
 * leaves that read out.
 */
import * as Facts from "../clients/facts.ts"
import { libraries } from "../clients/libraries.ts"
import { outcomes } from "../clients/library.ts"
import { listen } from "../clients/listeningCommand.ts"

const [name, behind] = process.argv.slice(2)
const library = libraries.find((library) => library.name === name)
const node = process.env["ETH_RPC_URL"]
if (library === undefined || node === undefined)
  throw new Error("usage: ETH_RPC_URL=... believingSuite.ts <client> [--behind]")

const isBehind = behind === "--behind"
const { chainId, trust } = Facts.history
await using proxy = isBehind
  ? await listen(["proxy", "--url", node, "--trust", trust, "--chain-id", `${chainId}`, "--retries", "0"])
  : undefined
const { close, facts, others } = library.make({ _tag: "Http", url: proxy?.url ?? node }, Facts.history)
const { call, ...rest } = others
const found = await outcomes({ ...facts, ...rest, ...(isBehind ? {} : { call }) })
for (const [read, outcome] of found) console.log(read, "value" in outcome ? outcome.value : `failed: ${outcome.code}`)
if ([...found.values()].some((outcome) => "code" in outcome)) process.exitCode = 1
await close()
