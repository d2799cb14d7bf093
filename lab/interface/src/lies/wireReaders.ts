/** The readers that programs reach over a wire: the proxy, the gateway and the command. Each reads a node that may lie. */
import { execFile } from "node:child_process"

import { HistoryChain } from "@plumbline/devnet"
import { Transport } from "@plumbline/jsonrpc-core"
import { transportTo } from "@plumbline/lies/src/eth/liars/node.ts"
import * as Reader from "@plumbline/lies/src/eth/liars/reader.ts"
import { type Policy, ProvingNode, ProviderRefusal } from "@plumbline/provider"
import { Effect, Exit, Result, Scope } from "effect"

import * as HistoryNode from "../clients/historyNode.ts"
import * as ProvingGateway from "../integrity/provingGateway.ts"
import { MAIN } from "../program.ts"

/** An error object of JSON-RPC. */
interface WireError {
  readonly code: number
  readonly data?: unknown
}

/** Returns the outcome of an error: only a lie, or a missing proof with its reasons, has a code of its own. */
const refused = ({ code, data }: WireError): Reader.Outcome => {
  switch (code) {
    case ProviderRefusal.REFUTED:
      return { _tag: "Refuted" }
    case ProviderRefusal.UNPROVEN:
    case ProviderRefusal.UNAVAILABLE:
      return Reader.claimed((data as any)?.claimed ?? [])
    case -32002:
      return { _tag: "Malformed" }
    default:
      return { _tag: "Failed" }
  }
}

/** The proving node of `plumbline proxy`, under one policy. */
export const proxy = (unprovable: Policy.Policy["unprovable"] & string): Reader.Reader => ({
  name: `proxy, ${unprovable}`,
  open: async (node, trust) => {
    const scope = Scope.makeUnsafe()
    const options = { unprovable, chainId: BigInt(HistoryChain.chainId) }
    const reader = await Effect.runPromise(
      ProvingNode.make(options).pipe(
        Scope.provide(scope),
        Effect.provideService(Transport.Transport, transportTo(node)),
        Effect.provide(trust)
      )
    )
    return {
      ask: async ({ method, params }) => {
        const answer = await Effect.runPromise(Effect.result(reader.answer({ method, params: params("latest") })))
        if (Result.isFailure(answer)) return refused(answer.failure)
        const { result, verdict } = answer.success
        return Reader.answered(verdict._tag, result, verdict.claimed.map(Reader.worded))
      },
      close: () => Effect.runPromise(Scope.close(scope, Exit.void))
    }
  }
})

/** A gateway with `integrity: prove` and its verified cache, read over HTTP. Its trust is always the pinned head. */
export const gateway = (unprovable: "refuse" | "mark"): Reader.Reader => ({
  name: `gateway, ${unprovable}`,
  keeps: true,
  open: async (node) => {
    const opened = await ProvingGateway.open([() => transportTo(node)], { cache: {}, unprovable })
    return {
      ask: async ({ method, params }) => {
        const response = await fetch(`${opened.url}?annotate`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: params("latest") })
        })
        const { error, plumbline, result } = await response.json()
        if (error !== undefined) return refused(error)
        const word = response.headers.get("plumbline-verdict")
        return word === plumbline?.verdict
          ? Reader.answered(word, result, plumbline.claimed)
          : { _tag: "Broken", detail: `the header says ${word}, and the answer ${JSON.stringify(plumbline)}` }
      },
      close: () => opened[Symbol.asyncDispose]()
    }
  }
})

/** The arguments of the command that asks the same as a call of the method, which names hashes only. */
const commands: Readonly<Record<string, (params: ReadonlyArray<any>) => ReadonlyArray<string>>> = {
  eth_getBlockByHash: ([hash]) => ["block", hash, "--full"],
  eth_getTransactionByHash: ([hash]) => ["tx", hash],
  eth_getUncleByBlockHashAndIndex: ([hash, index]) => ["uncle", hash, String(BigInt(index))]
}

/** A process of the command for each question. It reads the JSON of its output. */
export const command: Reader.Reader = {
  name: "command",
  takes: ({ method, params }) => commands[method] !== undefined && params("latest")[1] !== false,
  open: async (node) => {
    const served = await HistoryNode.serve(() => transportTo(node))
    return {
      ask: async ({ method, params }) => {
        const args = [...commands[method]!(params("latest")), "--url", served.url, "--retries", "0", "--json"]
        const trust = method === "eth_getTransactionByHash" ? ["--trust", HistoryChain.head.hash] : []
        const { claimed, error, value, verdict } = JSON.parse(await output([...args, ...trust]))
        if (error !== undefined) return { _tag: error.reason?.tag === "DecodeError" ? "Malformed" : "Failed" }
        return verdict === "REFUTED" ? { _tag: "Refuted" } : Reader.answered(verdict, value, claimed)
      },
      close: () => served[Symbol.asyncDispose]()
    }
  }
}

/** Returns the output of a command, whatever its exit code. */
const output = (args: ReadonlyArray<string>): Promise<string> =>
  new Promise((resolve) => {
    const env = { PATH: process.env["PATH"], HOME: "/nonexistent" }
    execFile(process.execPath, ["--disable-warning=ExperimentalWarning", MAIN, ...args], { env }, (_, stdout) =>
      resolve(stdout)
    )
  })
