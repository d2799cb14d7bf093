/**
 * The places of the console, as links hold them. A link holds a network, a block, a subject, an anchor, a station and a
 * bit that was flipped on purpose. It never holds a key, a token or a secret.
 */
import { short } from "../look/TextFormats.ts"
import * as ProofSubject from "../proof/ProofSubject.ts"

/** A screen and its subject. */
export type ConsoleRoute =
  | { readonly _tag: "Home" }
  | { readonly _tag: "Network"; readonly network: string }
  | { readonly _tag: "Block"; readonly network: string; readonly block: string; readonly trust?: string | undefined }
  | {
      readonly _tag: "Transaction"
      readonly network: string
      readonly hash: string
      readonly trust?: string | undefined
    }
  | {
      readonly _tag: "Account"
      readonly network: string
      readonly address: string
      readonly block: string
      readonly trust?: string | undefined
    }
  | {
      /** A name of ENS. */
      readonly _tag: "Name"
      readonly network: string
      readonly name: string
      readonly block: string
      readonly trust?: string | undefined
    }
  | { readonly _tag: "Prove"; readonly network: string }
  | ProofRoute
  | IpfsRoute
  | CommandsRoute
  | PendingRoute
  | { readonly _tag: "Overview"; readonly window?: UsageWindow | undefined; readonly by?: UsageDivision | undefined }
  | { readonly _tag: "Projects" }
  | { readonly _tag: "Project"; readonly id: string; readonly window?: UsageWindow | undefined }
  | { readonly _tag: "Tokens"; readonly id: string }
  | { readonly _tag: "Alerts" }
  | { readonly _tag: "Audit" }
  | { readonly _tag: "Accounts" }
  | { readonly _tag: "Webhooks"; readonly name?: string | undefined }
  | {
      readonly _tag: "Playground"
      readonly network: string
      readonly method?: string | undefined
      /** The parameters, as the text of a JSON list. */
      readonly params?: string | undefined
      readonly trust?: string | undefined
    }
  | { readonly _tag: "Lies"; readonly network: string; readonly lie?: string | undefined }
  | StorageRoute
  | ContractRoute
  | { readonly _tag: "Verify"; readonly cid?: string | undefined }
  | { readonly _tag: "Unknown"; readonly path: string }

/** The microscope over one value. */
export interface ProofRoute {
  readonly _tag: "Proof"
  readonly network: string
  /**
   * The value's block: its hash, or its number or tag. The page replaces a number or tag by the hash once it has read
   * the block.
   */
  readonly block: string
  readonly subject: ProofSubject.ProofSubject
  /** The anchor: the hash of a block that the reader trusts, or `checkpoint:` and the root of a beacon block. */
  readonly trust?: string | undefined
  /** The id of the selected station. */
  readonly at?: string | undefined
  /** The bit that is flipped on purpose: its station, byte and bit. */
  readonly broken?: BrokenBit | undefined
}

/** Content of IPFS. Without a CID, this is the screen where content is added and pinned. */
export interface IpfsRoute {
  readonly _tag: "Ipfs"
  readonly cid?: string | undefined
  /** The names on the path from the CID to the content. */
  readonly path?: ReadonlyArray<string> | undefined
  /** `dag` shows blocks in place of files. */
  readonly view?: "dag" | undefined
}

/** The commands of IPFS, or one of them. */
export interface CommandsRoute {
  readonly _tag: "Commands"
  readonly command?: string | undefined
  /** The arguments and the options, as the text of a JSON list. */
  readonly params?: string | undefined
}

/** The pending transactions of a second chain: of the named chain, or of the service's first second chain. */
export interface PendingRoute {
  readonly _tag: "Pending"
  readonly chain?: string | undefined
  /** The hash of the transaction that is open. */
  readonly tx?: string | undefined
}

/** The variables of one contract. */
export interface StorageRoute {
  readonly _tag: "Storage"
  readonly network: string
  /** The contract; undefined until the reader has named one. */
  readonly address?: string | undefined
  readonly block: string
  readonly trust?: string | undefined
  /** The path of the selected variable. */
  readonly at?: string | undefined
  /** The earlier block, with which the screen compares `block`. */
  readonly from?: string | undefined
}

/** The functions of one contract. */
export interface ContractRoute {
  readonly _tag: "Contract"
  readonly network: string
  /** The contract; undefined until the reader has named one. */
  readonly address?: string | undefined
  readonly block: string
  readonly trust?: string | undefined
}

/** One bit of one station's bytes. Bit 7 is the highest. */
export interface BrokenBit {
  readonly station: string
  readonly byte: number
  readonly bit: number
}

/** The windows of usage, each of which ends with the current minute. */
export const windows = ["15m", "1h", "24h", "7d", "30d"] as const
/** One of `windows`. */
export type UsageWindow = (typeof windows)[number]

/** The dimensions by which the overview divides usage. */
export const divisions = ["network", "method", "project", "outcome"] as const
/** One of `divisions`. */
export type UsageDivision = (typeof divisions)[number]

/** The path below which the service serves the console. */
export const BASE = "/console"

/** Returns the link to a place. */
export const link = (place: ConsoleRoute): { readonly href: string } => ({ href: `${BASE}${pathOf(place)}` })

const pathOf = (place: ConsoleRoute): string => {
  switch (place._tag) {
    case "Home":
      return "/"
    case "Network":
      return path([place.network])
    case "Block":
      return path([place.network, "block", place.block], { trust: place.trust })
    case "Transaction":
      return path([place.network, "tx", place.hash], { trust: place.trust })
    case "Account":
      return path([place.network, "account", place.address, place.block], { trust: place.trust })
    case "Name":
      return path([place.network, "name", place.name, place.block], { trust: place.trust })
    case "Prove":
      return path([place.network, "prove"])
    case "Proof": {
      const { at, block, broken, network, subject, trust } = place
      const flipped = broken === undefined ? undefined : `${broken.station}:${broken.byte}:${broken.bit}`
      return path([network, "proof", block, ...ProofSubject.toPath(subject)], { trust, at, broken: flipped })
    }
    case "Ipfs": {
      const { cid, path: names = [], view } = place
      const way = names.length === 0 ? undefined : names.join("/")
      return path(["ipfs", ...(cid === undefined ? [] : [cid])], { path: way, view })
    }
    case "Commands":
      return path(["ipfs", "commands", ...(place.command === undefined ? [] : [place.command])], {
        params: place.params
      })
    case "Pending":
      return path([...(place.chain === undefined ? [] : [place.chain]), "pending"], { tx: place.tx })
    case "Overview":
      return path(["overview"], { window: place.window, by: place.by })
    case "Projects":
      return "/projects"
    case "Project":
      return path(["projects", place.id], { window: place.window })
    case "Tokens":
      return path(["projects", place.id, "tokens"])
    case "Alerts":
      return "/alerts"
    case "Audit":
      return "/audit"
    case "Accounts":
      return "/accounts"
    case "Webhooks":
      return path(["webhooks", ...(place.name === undefined ? [] : [place.name])])
    case "Playground":
      return path([place.network, "playground", ...(place.method === undefined ? [] : [place.method])], {
        params: place.params,
        trust: place.trust
      })
    case "Lies":
      return path([place.network, "lies", ...(place.lie === undefined ? [] : [place.lie])])
    case "Storage": {
      const { address, at, block, from, network, trust } = place
      return address === undefined
        ? path([network, "storage"])
        : path([network, "storage", address, block], { trust, from, at })
    }
    case "Contract": {
      const { address, block, network, trust } = place
      return address === undefined
        ? path([network, "contract"])
        : path([network, "contract", address, block], { trust })
    }
    case "Verify":
      return path(["verify"], { cid: place.cid })
    case "Unknown":
      return place.path
  }
}

const path = (parts: ReadonlyArray<string>, query: Readonly<Record<string, string | undefined>> = {}): string => {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value).replaceAll("%3A", ":").replaceAll("%2F", "/")}`]
  )
  return `/${parts.map(encodeURIComponent).join("/")}${given.length === 0 ? "" : `?${given.join("&")}`}`
}

/**
 * Returns the name of a place for the title of the page, such as `Block 12, mainnet`; no text for the first screen.
 * `project` is the name of the project that the place is about, once it is read.
 */
export const title = (place: ConsoleRoute, project?: string): string => {
  switch (place._tag) {
    case "Home":
      return ""
    case "Network":
      return place.network
    case "Block":
      return `Block ${short(place.block)}, ${place.network}`
    case "Transaction":
      return `Transaction ${short(place.hash)}, ${place.network}`
    case "Account":
      return `Account ${short(place.address)}, ${place.network}`
    case "Name":
      return `${place.name}, ${place.network}`
    case "Prove":
      return `Prove, ${place.network}`
    case "Proof":
      return `Proof in block ${short(place.block)}, ${place.network}`
    case "Ipfs":
      return place.cid === undefined ? "IPFS" : `${place.path?.at(-1) ?? short(place.cid)}, IPFS`
    case "Commands":
      return place.command === undefined ? "Commands, IPFS" : `${place.command}, IPFS`
    case "Pending":
      return place.chain === undefined ? "Pending" : `Pending, ${place.chain}`
    case "Project":
      return `Project ${project ?? place.id}`
    case "Tokens":
      return `User tokens, project ${project ?? place.id}`
    case "Webhooks":
      return place.name === undefined ? "Webhooks" : `Webhook ${place.name}`
    case "Playground":
      return `${place.method ?? "Playground"}, ${place.network}`
    case "Lies":
      return `${place.lie ?? "See a lie"}, ${place.network}`
    case "Storage":
      return place.address === undefined
        ? `Variables, ${place.network}`
        : `Variables of ${short(place.address)}, ${place.network}`
    case "Contract":
      return place.address === undefined
        ? `Contract, ${place.network}`
        : `Contract ${short(place.address)}, ${place.network}`
    case "Unknown":
      return "No such page"
    default:
      return place._tag
  }
}

/** Reads the place of an address: its path and its query. An address that names no screen gives `Unknown`. */
export const parse = (pathname: string, search: string): ConsoleRoute => {
  const unknown: ConsoleRoute = {
    _tag: "Unknown",
    path: pathname.startsWith(BASE) ? pathname.slice(BASE.length) : pathname
  }
  if (pathname !== BASE && !pathname.startsWith(`${BASE}/`)) return unknown
  const parts = pathname
    .slice(BASE.length)
    .split("/")
    .filter((part) => part !== "")
    .map(decoded)
  if (parts.includes(undefined)) return unknown
  const query = new URLSearchParams(search)
  const trust = trustOf(query.get("trust"))
  const [network, kind, first, ...rest] = parts as ReadonlyArray<string>
  if (network === undefined) return { _tag: "Home" }
  if (network === "verify" && kind === undefined) return { _tag: "Verify", cid: cidOf(query.get("cid")) }
  const window = windows.find((one) => one === query.get("window"))
  if (network === "overview" && kind === undefined) {
    return { _tag: "Overview", window, by: divisions.find((one) => one === query.get("by")) }
  }
  if (network === "projects" && kind === undefined) return { _tag: "Projects" }
  if (network === "projects" && first === undefined) return { _tag: "Project", id: kind!, window }
  if (network === "projects" && first === "tokens" && rest.length === 0) return { _tag: "Tokens", id: kind! }
  if (network === "alerts" && kind === undefined) return { _tag: "Alerts" }
  if (network === "audit" && kind === undefined) return { _tag: "Audit" }
  if (network === "accounts" && kind === undefined) return { _tag: "Accounts" }
  if (network === "webhooks" && first === undefined) {
    return kind === undefined || /^[\w.-]{1,64}$/u.test(kind) ? { _tag: "Webhooks", name: kind } : unknown
  }
  if (network === "ipfs" && kind === "commands" && rest.length === 0) {
    const isCommand = first === undefined || /^[a-z]+(?:\/[a-z]+)?$/u.test(first)
    return isCommand ? { _tag: "Commands", command: first, params: paramsOf(query.get("params")) } : unknown
  }
  if (network === "ipfs" && first === undefined) return ipfsOf(kind, query) ?? unknown
  if (network === "pending" && kind === undefined) return { _tag: "Pending", tx: feltOf(query.get("tx")) }
  if (!/^[A-Za-z0-9._~-]{1,64}$/u.test(network)) return unknown
  if (kind === undefined) return { _tag: "Network", network }
  if (kind === "pending" && first === undefined) {
    return { _tag: "Pending", chain: network, tx: feltOf(query.get("tx")) }
  }
  if (kind === "playground" && rest.length === 0) {
    return first === undefined || /^[A-Za-z][\w/-]{0,63}$/u.test(first)
      ? { _tag: "Playground", network, method: first, params: paramsOf(query.get("params")), trust }
      : unknown
  }
  if (kind === "lies" && rest.length === 0) {
    return first === undefined || /^[a-z][a-z-]{0,63}$/u.test(first) ? { _tag: "Lies", network, lie: first } : unknown
  }
  if (kind === "prove" && first === undefined) return { _tag: "Prove", network }
  if (kind === "storage" && first === undefined) return { _tag: "Storage", network, block: "latest" }
  if (kind === "contract" && first === undefined) return { _tag: "Contract", network, block: "latest" }
  if (first === undefined) return unknown
  switch (kind) {
    case "block":
      return isBlock(first) && rest.length === 0 ? { _tag: "Block", network, block: first, trust } : unknown
    case "tx":
      return isHash(first) && rest.length === 0 ? { _tag: "Transaction", network, hash: first, trust } : unknown
    case "account": {
      const [block = "latest", ...more] = rest
      return isAddress(first) && isBlock(block) && more.length === 0
        ? { _tag: "Account", network, address: first, block, trust }
        : unknown
    }
    case "name": {
      const [block = "latest", ...more] = rest
      return isName(first) && isBlock(block) && more.length === 0
        ? { _tag: "Name", network, name: first, block, trust }
        : unknown
    }
    case "storage": {
      const [block = "latest", ...more] = rest
      const [at, from] = [query.get("at"), query.get("from")]
      return isAddress(first) && isBlock(block) && more.length === 0
        ? {
            _tag: "Storage",
            network,
            address: first.toLowerCase(),
            block,
            trust,
            at: at === null || at.length > MAX_PATH ? undefined : at,
            from: from !== null && isBlock(from) ? from : undefined
          }
        : unknown
    }
    case "contract": {
      const [block = "latest", ...more] = rest
      return isAddress(first) && isBlock(block) && more.length === 0
        ? { _tag: "Contract", network, address: first.toLowerCase(), block, trust }
        : unknown
    }
    case "proof": {
      const subject = ProofSubject.fromPath(rest)
      if (!isBlock(first) || subject === undefined) return unknown
      const at = query.get("at") ?? undefined
      return { _tag: "Proof", network, block: first, subject, trust, at, broken: brokenOf(query.get("broken")) }
    }
    default:
      return unknown
  }
}

const ipfsOf = (cid: string | undefined, query: URLSearchParams): IpfsRoute | undefined => {
  if (cid === undefined) return { _tag: "Ipfs" }
  const names = (query.get("path") ?? "").split("/").filter((name) => name !== "")
  const view = query.get("view") === "dag" ? "dag" : undefined
  return isCid(cid) && names.length <= MAX_NAMES ? { _tag: "Ipfs", cid, path: names, view } : undefined
}

/** Maximum number of names in a path of IPFS. */
const MAX_NAMES = 64

/** True for a text in one of the forms of a CID. The text may still be invalid. No key has such a form in hex. */
export const isCid = (text: string): boolean =>
  /^(?:Qm[1-9A-HJ-NP-Za-km-z]{44}|b[a-z2-7]{20,300}|z[1-9A-HJ-NP-Za-km-z]{20,300}|k[0-9a-z]{20,300}|f01[0-9a-f]{30,300})$/u.test(
    text
  )

/**
 * Reads content as readers write it: a CID or a path, with or without `/ipfs/`, or an address that begins with
 * `ipfs://`. Returns undefined for another text. As in the command, nothing is percent-encoded.
 */
export const contentOf = (text: string): (IpfsRoute & { readonly cid: string }) | undefined => {
  const [cid = "", ...path] = text
    .replace(/^(?:ipfs:(?:\/\/)?|\/ipfs\/)/iu, "")
    .replace(/\/$/u, "")
    .split("/")
  const isName = (name: string): boolean => !["", ".", ".."].includes(name) && name.isWellFormed()
  return isCid(cid) && path.length <= MAX_NAMES && path.every(isName) ? { _tag: "Ipfs", cid, path } : undefined
}

const feltOf = (text: string | null): string | undefined =>
  text !== null && /^0x[0-9a-f]{1,64}$/u.test(text) ? text : undefined

/** True for 32 bytes in hex. */
export const isHash = (text: string): boolean => /^0x[0-9a-f]{64}$/iu.test(text)

/** True for 20 bytes in hex with a valid checksum, if their letters have one. */
export const { isAddress } = ProofSubject

/** True for a text in the form of a name: labels with dots between them, the last of which begins with a letter. */
export const isName = (text: string): boolean => /^[^\s/?#]{1,253}\.\p{L}[\p{L}\p{N}-]{1,62}$/u.test(text)

/** Parses the path and the query of a link. */
export const parseHref = (href: string): ConsoleRoute => {
  const [pathname = "", search = ""] = href.split("?")
  return parse(pathname, search)
}

/** True for the hash of a block, its number in decimal, or a tag. */
export const isBlock = (text: string): boolean =>
  isHash(text) || /^(?:0|[1-9]\d{0,18})$/u.test(text) || ["latest", "safe", "finalized", "earliest"].includes(text)

/** Maximum number of characters of a variable's path in a link. */
const MAX_PATH = 400

const cidOf = (text: string | null): string | undefined => (text !== null && isCid(text) ? text : undefined)

const decoded = (part: string): string | undefined => {
  try {
    return decodeURIComponent(part)
  } catch {
    return undefined
  }
}

const trustOf = (text: string | null): string | undefined =>
  text !== null && isHash(text.replace(/^checkpoint:/u, "")) ? text.toLowerCase() : undefined

/** Maximum number of characters of parameters that a link holds. */
const MAX_PARAMS = 8000

const paramsOf = (text: string | null): string | undefined => {
  if (text === null || text.length > MAX_PARAMS) return undefined
  try {
    return Array.isArray(JSON.parse(text)) ? text : undefined
  } catch {
    return undefined
  }
}

const brokenOf = (text: string | null): BrokenBit | undefined => {
  const [, station, byte, bit] = /^([a-zA-Z0-9.-]{1,32}):(\d{1,7}):([0-7])$/u.exec(text ?? "") ?? []
  return station === undefined ? undefined : { station, byte: Number(byte), bit: Number(bit) }
}
