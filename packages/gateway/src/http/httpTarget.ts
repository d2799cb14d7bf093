/** Parses request targets. The target follows the method in the first line of a request. */

/** The target of a request: the path, the query, and the host if the target has the absolute form. */
export interface HttpTarget {
  readonly path: string
  /** The text after the question mark; empty if there is none. */
  readonly query: string
  /**
   * The host of a target in absolute form (`http://host/path`). It replaces the Host header (RFC 9112, section 3.2.2).
   */
  readonly host: string | undefined
}

/** Parses a request target. A target that is neither a path nor a URL has an empty path, which no route answers. */
export const parse = (target: string): HttpTarget => {
  let start = 0
  let host: string | undefined
  if (target.charCodeAt(0) !== SLASH) {
    const absolute = /^https?:\/\/([^/?#]*)/iu.exec(target)
    if (absolute === null) return NOWHERE
    start = absolute[0].length
    host = absolute[1]!.slice(absolute[1]!.lastIndexOf("@") + 1)
  }
  const mark = target.indexOf("?", start)
  if (mark === -1) return { path: start === 0 ? target : target.slice(start), query: "", host }
  return { path: target.slice(start, mark), query: target.slice(mark + 1), host }
}

const SLASH = 0x2f
const NOWHERE: HttpTarget = { path: "", query: "", host: undefined }
