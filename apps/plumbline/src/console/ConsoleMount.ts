/** The console on the gateway's listener: `/console`, its files, and its calls below `/console/api`. */
import type { IncomingMessage, ServerResponse } from "node:http"

import type { Mount } from "@plumbline/gateway/http/Mount"
import type { Activation } from "@plumbline/verified-calls/rules/Hardforks"

import * as Loopback from "../home/Loopback.ts"
import * as ConsoleSite from "./ConsoleSite.ts"
import * as ReadPath from "./ReadPath.ts"

/** A network that the console shows. */
export interface ConsoleNetwork {
  readonly name: string
  readonly chainId: number | string
  /** The family of the network's methods. */
  readonly kind: "eth" | "starknet"
  /** True if it can be read without a key: all its nodes are embedded, and the service listens only on loopback. */
  readonly isEmbedded: boolean
  /**
   * The time for which its node still lies, 0 if it is honest; null if it cannot be told to lie, because it is not
   * embedded, or not checked.
   */
  readonly lie: { readonly leftMillis: number } | null
  /** Its nodes that lied within the last hour. Only a page on this machine is told them. */
  readonly liars: ReadonlyArray<RecentLiar>
  /** The chain's hardforks, oldest first, if the service knows them better than the page does. */
  readonly forks: ReadonlyArray<Activation> | undefined
  readonly beacon: { readonly path: string; readonly checkpoint: string; readonly network: unknown } | null
  /** The hash of a block that the service's own proofs start from; null if there is none. */
  readonly anchor: string | null
}

/** The lies of a node within the last hour, or those of one drill. Times are in milliseconds since the epoch. */
export interface RecentLiar {
  readonly node: string
  /** True while the node has the state `lies`. */
  readonly isLying: boolean
  /** The time until which the node gets no calls; null if it is asked. */
  readonly asideUntil: number | null
  /** The time at which it became trusted again; null while it lies, and if that is not known. */
  readonly trustedSince: number | null
  readonly firstAt: number
  readonly lastAt: number
  readonly count: number
  /** The method of the last lie, and the check that found it. */
  readonly method: string
  readonly check: string
  /** The block of the last lie; null if its answer names none. */
  readonly block: { readonly number: number; readonly hash: string | null } | null
  /** The time for which an operator ordered these lies; null if they were not ordered. */
  readonly drill: { readonly at: number; readonly until: number } | null
}

/** The facts that the mount asks the service for. */
export interface ConsoleFacts {
  readonly networks: () => Promise<ReadonlyArray<ConsoleNetwork>>
  /** Sends a packet to a network, on behalf of no project. Returns undefined for an unknown network. */
  readonly read: (network: string, packet: Uint8Array, signal: AbortSignal) => Promise<Uint8Array | undefined>
  readonly hasIpfs: boolean
  /** True if operators can sign in at an identity provider. */
  readonly hasSignOn: () => boolean
  /** True if blocks may be read without a key: the node is embedded, and the service listens on loopback alone. */
  readonly isIpfsEmbedded: () => boolean
  /** Returns the address of the service and the folder's key; undefined without a folder. */
  readonly own: () => ConsoleOwn | undefined
  /** True if the service is reached by other names than this machine's: a proxy or a public host is configured. */
  readonly hasPublicName: () => boolean
  /**
   * Returns the origin of the service for the page of this request; undefined if the page's own origin serves networks
   * and IPFS too.
   */
  readonly service: (request: IncomingMessage) => string | undefined
}

/** The address of the service, and the key of its folder. */
export interface ConsoleOwn {
  readonly url: string
  readonly apiKey: string
  readonly apiKeySecret: string
}

/** Makes the mount. The site is read, or built, at the first request. */
export const make = (source: ConsoleFacts): Mount => {
  let files: ConsoleSite.SiteFiles | undefined
  let building: Promise<boolean> | undefined

  const site = (request: IncomingMessage, response: ServerResponse): void => {
    if (request.method !== "GET" && request.method !== "HEAD") {
      ConsoleSite.say(response, 405, "The console is read with GET.", { allow: "GET, HEAD" })
      return
    }
    files ??= ConsoleSite.read()
    if (files !== undefined) {
      ConsoleSite.answer(files, request, response, source.service(request))
      return
    }
    building ??= ConsoleSite.build()
    if (building === undefined) {
      ConsoleSite.say(response, 503, "The console is not built. Build it with: pnpm --filter @plumbline/console build")
      return
    }
    void building.then((isBuilt) => {
      building = undefined
      files = isBuilt ? ConsoleSite.read() : undefined
      if (files === undefined)
        ConsoleSite.say(response, 503, "The build of the console failed. The service's log says why.")
      else ConsoleSite.answer(files, request, response, source.service(request))
    })
  }

  return {
    path: "/console",
    isHome: true,
    handle: (request, response, caller) => {
      const { pathname, searchParams } = new URL(request.url ?? "/", "http://console.invalid")
      if (pathname === "/console/api/start") start(source, request, response, caller)
      else if (pathname === BLOCK) block(source, searchParams, request, response)
      else if (pathname.startsWith(READ)) read(source, pathname.slice(READ.length), request, response)
      else if (pathname.startsWith("/console/api/")) ConsoleSite.say(response, 404, "The console has no such call.")
      else site(request, response)
    }
  }
}

const READ = "/console/api/read/"

/** The path of `block/get` for an IPFS client of the page. No other IPFS command can be called without a key. */
const BLOCK = "/console/api/ipfs/api/v0/block/get"

/** Returns the list of networks, and which of them the page may read without a key. */
const start = (
  { hasIpfs, hasPublicName, hasSignOn, isIpfsEmbedded, networks, service }: ConsoleFacts,
  request: IncomingMessage,
  response: ServerResponse,
  caller: string
): void => {
  if (request.method !== "GET") {
    ConsoleSite.say(response, 405, "This call is made with GET.", { allow: "GET" })
    return
  }
  if (!hasPublicName() && ReadPath.isForeign(request, caller)) {
    const way = "Behind a proxy, set server.trustedProxies."
    ConsoleSite.say(response, 403, `The console answers to localhost only, not to another name. ${way}`)
    return
  }
  const isLocal = ReadPath.isLocal(request)
  void networks().then(
    (networks) => {
      const shown = ({ anchor, beacon, chainId, forks, isEmbedded, liars, lie, name }: ConsoleNetwork) => ({
        name,
        chainId,
        open: isEmbedded && isLocal,
        lie: isLocal ? lie : null,
        liars: isLocal ? liars : null,
        forks: forks?.map(wireFork) ?? null,
        beacon,
        anchor
      })
      json(response, 200, {
        service: service(request) ?? null,
        signOn: hasSignOn(),
        networks: networks.filter(({ kind }) => kind === "eth").map(shown),
        secondChains: networks.filter(({ kind }) => kind === "starknet").map(shown),
        ipfs: hasIpfs,
        ipfsOpen: hasIpfs && isLocal && isIpfsEmbedded()
      })
    },
    () => ConsoleSite.say(response, 503, "The service is not ready.")
  )
}

/** Returns a fork as JSON: block numbers and times fit into its numbers. */
const wireFork = ({ blobUpdateFraction, block, hardfork, time }: Activation) => ({
  hardfork,
  block: block === undefined ? undefined : Number(block),
  time: time === undefined ? undefined : Number(time),
  blobUpdateFraction: blobUpdateFraction === undefined ? undefined : Number(blobUpdateFraction)
})

/** Makes the page's call. It belongs to no project, so no usage counts it as a caller's. */
const read = (source: ConsoleFacts, name: string, request: IncomingMessage, response: ServerResponse): void => {
  if (request.method !== "POST") {
    ConsoleSite.say(response, 405, "This call is made with POST.", { allow: "POST" })
    return
  }
  if (!ReadPath.isLocal(request) || !/^application\/json\s*(?:;|$)/iu.test(request.headers["content-type"] ?? "")) {
    refuse(response, 403, "only a page of this service on this machine reads without a key")
    return
  }
  Loopback.body(request, ReadPath.MAX_BODY, (body) => {
    if (body === undefined) {
      refuse(response, 413, `a body has at most ${ReadPath.MAX_BODY} bytes`)
      return
    }
    const text = body.toString("utf8")
    const refused = ReadPath.refusedIn(text)
    if (refused !== undefined) {
      refuse(response, 403, `without a key the console only reads: ${refused}`)
      return
    }
    const leaving = new AbortController()
    response.once("close", () => leaving.abort())
    void forward(source, name, body, leaving.signal).then(
      (answer) => {
        if (answer === undefined) refuse(response, 404, `no network ${name.slice(0, 60)} is read without a key`)
        else json(response, 200, Buffer.from(answer).toString("utf8"))
      },
      () => refuse(response, 502, "the network did not answer")
    )
  })
}

const forward = async (
  source: ConsoleFacts,
  name: string,
  packet: Uint8Array,
  signal: AbortSignal
): Promise<Uint8Array | undefined> => {
  const network = (await source.networks()).find((one) => one.name === name && one.isEmbedded)
  return network === undefined ? undefined : source.read(name, packet, signal)
}

/** Reads one block of IPFS with the folder's key. The page checks the block against its CID. */
const block = (
  source: ConsoleFacts,
  search: URLSearchParams,
  request: IncomingMessage,
  response: ServerResponse
): void => {
  if (request.method !== "POST") {
    ConsoleSite.say(response, 405, "This call is made with POST.", { allow: "POST" })
    return
  }
  if (!ReadPath.isLocal(request) || !ReadPath.isScripted(request)) {
    ConsoleSite.say(response, 403, "Only a page of this service on this machine reads without a key.")
    return
  }
  const own = source.own()
  if (own === undefined || !source.hasIpfs || !source.isIpfsEmbedded()) {
    ConsoleSite.say(response, 404, "This service reads no IPFS without a key.")
    return
  }
  const query = ReadPath.blockQuery(search)
  if (query === undefined) {
    ConsoleSite.say(response, 400, "The call takes one CID, as arg.")
    return
  }
  const leaving = new AbortController()
  response.once("close", () => leaving.abort())
  const authorization = `Basic ${Buffer.from(`${own.apiKey}:${own.apiKeySecret}`).toString("base64")}`
  const options = { method: "POST", headers: { authorization }, redirect: "manual", signal: leaving.signal } as const
  void fetch(`${own.url}/api/v0/block/get?${query}`, options)
    .then(async (answer) => {
      const bytes = Buffer.from(await answer.arrayBuffer())
      if (response.destroyed) return
      response
        .writeHead(answer.status, {
          // no browser renders this type, so a block cannot act as a page
          "content-type": answer.ok ? "application/vnd.ipld.raw" : (answer.headers.get("content-type") ?? "text/plain"),
          "cache-control": "no-store",
          "content-security-policy": ConsoleSite.POLICY,
          "x-content-type-options": "nosniff",
          "cross-origin-resource-policy": "same-origin"
        })
        .end(bytes)
    })
    .catch(() => {
      if (!response.destroyed && !response.headersSent) ConsoleSite.say(response, 502, "The IPFS node did not answer.")
    })
}

const failure = (message: string) => ({ jsonrpc: "2.0", id: null, error: { code: -32_001, message } })

const refuse = (response: ServerResponse, status: number, message: string): void =>
  json(response, status, failure(message))

const json = (response: ServerResponse, status: number, body: string | object): void => {
  if (response.destroyed) return
  const headers = {
    "content-type": "application/json",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff"
  }
  response.writeHead(status, headers).end(typeof body === "string" ? body : JSON.stringify(body))
}
