/** Translates the refusals of a node with Kubo's HTTP API into reasons of `IpfsNodeError`. */
import type { IpfsFailure } from "../client/IpfsClient.ts"
import type * as IpfsError from "../client/IpfsError.ts"
import * as Reasons from "../node/IpfsNodeError.ts"

export const failure = (reason: Reasons.Reason): Reasons.IpfsNodeError => new Reasons.IpfsNodeError({ reason })

export const invalid = (what: string, detail: string): Reasons.IpfsNodeError =>
  failure(new Reasons.InvalidRequest({ what, detail }))

/** Converts a failure of a client's call or of a block check. An `IpfsNodeError` is returned unchanged. */
export const ofFailure = (error: IpfsFailure | Reasons.IpfsNodeError): Reasons.IpfsNodeError => {
  switch (error._tag) {
    case "IpfsError":
      return failure(ofReply(error))
    case "MissingBlocks":
      return failure(new Reasons.NotFound({ cid: error.missing[0] ?? error.cid }))
    case "CarError":
    case "UnexpectedBlock":
      return failure(new Reasons.Failed({ doing: "reading a CAR of the upstream", detail: safe(error.message) }))
    default:
      return Reasons.fromBlockError(error)
  }
}

const ofReply = ({ command, reason }: IpfsError.IpfsError): Reasons.Reason => {
  const doing = `asking the upstream for ${command}`
  switch (reason._tag) {
    case "EncodeError":
      return new Reasons.InvalidRequest({ what: reason.name, detail: reason.detail })
    case "MalformedError":
    case "FailedError":
    case "StreamError":
      return ofSentence(doing, reason.message)
    // The upstream refuses the service, not the caller, so the error tells the caller nothing about the credentials.
    case "UnauthorizedError":
    case "ForbiddenError":
      return new Reasons.Failed({ doing, detail: "it does not let this service in" })
    case "UnknownCommandError":
    case "NotAllowedError":
      return new Reasons.NotSupported({ what: command })
    default:
      return new Reasons.Failed({ doing, detail: safe(reason.message) })
  }
}

/**
 * Converts an error sentence of the node to a reason. An unknown sentence becomes `Failed`, with the sentence made
 * safe.
 */
export const ofSentence = (doing: string, sentence: string): Reasons.Reason => {
  for (const { pattern, reason } of SENTENCES) {
    const match = pattern.exec(sentence)
    if (match !== null) return reason(...(match.slice(1) as [string, string]))
  }
  return new Reasons.Failed({ doing, detail: safe(sentence) })
}

interface Sentence {
  readonly pattern: RegExp
  /** The program and the source file of the sentence. */
  readonly source: string
  readonly reason: (first: string, second: string) => Reasons.Reason
}

const refused = (problem: Reasons.PinRefused["problem"]) => (subject: string) =>
  new Reasons.PinRefused({ subject, problem })

/** Patterns of sentences, the most specific first, because Kubo writes the failed step before its error. */
const SENTENCES: ReadonlyArray<Sentence> = [
  {
    pattern: /ipld: could not find ([A-Za-z0-9]{1,256})/u,
    source: "go-ipld-format merkledag.go",
    reason: (cid) => new Reasons.NotFound({ cid })
  },
  {
    pattern: /no link named "((?:[^"\\]|\\.){0,1024})" under ([A-Za-z0-9]{1,256})/u,
    source: "boxo path/resolver",
    reason: (name, cid) => new Reasons.NoLink({ cid, name: unquoted(name) })
  },
  {
    pattern: /path '([^']{1,4096})' is not pinned/u,
    source: "kubo core/commands/pin",
    reason: refused("NotPinned")
  },
  {
    pattern: /not pinned or pinned indirectly()/u,
    source: "boxo pinning/pinner",
    reason: refused("NotPinnedHere")
  },
  {
    pattern: /([A-Za-z0-9]{1,256}) is pinned recursively/u,
    source: "boxo pinning/pinner/dspinner",
    reason: refused("Recursive")
  },
  {
    pattern: /^pinned: (recursive|direct)$/u,
    source: "boxo pinning/pinner",
    reason: refused("Pinned")
  },
  {
    pattern: /^pinned via ([A-Za-z0-9]{1,256})$/u,
    source: "boxo pinning/pinner",
    reason: refused("PinnedThrough")
  },
  {
    pattern: /([A-Za-z0-9]{1,256}) already pinned recursively/u,
    source: "boxo pinning/pinner/dspinner",
    reason: refused("AlreadyRecursive")
  },
  {
    pattern: /'from' cid was not recursively pinned already()/u,
    source: "boxo pinning/pinner/dspinner",
    reason: refused("FromNotPinned")
  },
  {
    pattern: /this dag node is a directory/u,
    source: "boxo ipld/unixfs/io",
    reason: () => new Reasons.WrongKind({ cid: "the path", expected: "file", got: "directory" })
  },
  {
    pattern: /block in storage has different hash than requested/u,
    source: "boxo blockstore",
    reason: () => new Reasons.Damaged({ cid: "a block of the upstream", expected: "its own digest", got: "another" })
  },
  {
    pattern: /(produced block is over 2MiB: .{1,200})/u,
    source: "kubo core/commands/cmdutils",
    reason: (detail) => new Reasons.InvalidRequest({ what: "block", detail })
  },
  {
    pattern: /unable to use "?format"? and "?cid-codec"? at the same time/u,
    source: "kubo core/commands/block.go",
    reason: () =>
      new Reasons.InvalidRequest({ what: "option", detail: "unable to use format and cid-codec at the same time" })
  },
  {
    pattern:
      /(mtime nanoseconds must be in range .{1,40}|raw-leaves can't be used .{1,100}|option "mtime-nsecs" requires .{1,60})/u,
    source: "kubo core/commands/add.go",
    reason: (detail) => new Reasons.InvalidRequest({ what: "option", detail })
  },
  {
    pattern: /(pin name is \d{1,9} bytes \(max \d{1,9} bytes\)|pin-name option requires pin to be set)/u,
    source: "kubo core/commands/cmdutils and add.go",
    reason: (detail) => new Reasons.InvalidRequest({ what: "pin-name", detail })
  },
  {
    pattern: /^this node does not support (.{1,200})$/u,
    source: "IpfsNodeError.ts",
    reason: (what) => new Reasons.NotSupported({ what: safe(what) })
  },
  {
    pattern: /(unrecognized hash function\b.{0,100})/u,
    source: "kubo core/commands/add.go",
    reason: (what) => new Reasons.NotSupported({ what: safe(what) })
  },
  {
    pattern: /^invalid ([a-z0-9' -]{1,60}?|path ".{1,200}?"): (.{1,400})$/iu,
    source: "boxo path; IpfsNodeError.ts",
    reason: (what, detail) => new Reasons.InvalidRequest({ what, detail: safe(detail) })
  }
]

/** Reads a text of Go's `%q`. JSON can read it, except for rare escapes. */
const unquoted = (text: string): string => {
  try {
    return String(JSON.parse(`"${text}"`))
  } catch {
    return text
  }
}

/** Returns at most 300 characters of a server's sentence, without addresses, folders and control characters. */
const safe = (words: string): string =>
  words
    .slice(0, 2000)
    // oxlint-disable-next-line no-control-regex -- these are what is taken out
    .replace(/[\u0000-\u001f\u007f]+/gu, " ")
    .replace(/[a-z][a-z0-9+.-]*:\/\/\S+/giu, "<address>")
    .replace(/\/(?:ip4|ip6|dns4?|dns6|dnsaddr|p2p)\/\S+/gu, "<address>")
    .replace(/\[[0-9a-f:]+\](?::\d+)?|\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?/giu, "<address>")
    .replace(/(?:(?<![\w/.])(?!\/ip[fn]s\/)\/|\b[A-Za-z]:\\)[^\s:,'"]+/gu, "<folder>")
    .slice(0, 300)
