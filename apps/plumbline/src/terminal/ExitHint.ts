/**
 * Advice after failures. A client's error says what failed, but does not know the flags of this command. The report
 * adds the flag that helps.
 */

/** Returns advice about an error, as the end of the error's sentence, or an empty text. */
export const of = (error: object): string => {
  if ("problem" in error && error.problem === "TimedOut") return LONGER
  if ("problem" in error && error.problem === "Unreachable") {
    return '. Start it with "plumbline up", or name another with --url'
  }
  return "reason" in error && typeof error.reason === "object" && error.reason !== null ? ofReason(error.reason) : ""
}

const LONGER = ": wait longer with --timeout <seconds>"

const ofReason = (reason: object): string => {
  const { _tag: tag, code, setting = "--port", status } = reason as { readonly [member: string]: unknown }
  if (tag === "TimeoutError") return LONGER
  if (tag === "CannotListen")
    return `. ${code === "EADDRINUSE" ? "The port is taken. " : ""}Choose another with ${String(setting)}`
  if (tag === "RemoteError" && code === METHOD_NOT_FOUND) {
    return ". Name a node that has this method with --url, or another network with --network"
  }
  if (tag === "OtherChainError") return NETWORK
  if (tag !== "TransportError") return tag === "ConnectionError" ? BEACON : ""
  if (status === undefined) return ". Check that a node runs there, or name another with --url"
  return status === 401 || status === 403 || status === 404 ? ". Check the path and the API key of --url" : ""
}

const BEACON = ". Check that a beacon node runs there, or name another with --beacon"

const NETWORK = ". Name its chain with --beacon-network <name|file>"

/** Source: the JSON-RPC 2.0 specification, section 5.1. */
const METHOD_NOT_FOUND = -32_601
