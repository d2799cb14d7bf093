/** A conversation of a client with a server: what it sends, one write after the other. */
export interface FramingVector {
  readonly name: string
  /** Bytes as Latin-1. `FIN` closes the client's side, `RST` breaks the connection, and `WAIT` waits for the server. */
  readonly steps: ReadonlyArray<string>
}

export const LINE = "\r\n"
export const HOST = "Host: a\r\n"
export const GOOD = "POST /v3/good HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}"

export const post = (headers: string, body = "", path = "/v3/k"): string =>
  `POST ${path} HTTP/1.1\r\n${headers}\r\n${body}`

/** The length of the body `{}`; a coding, and the same body in it. */
export const LENGTH = "Content-Length: 2\r\n"
export const CHUNKED = `${HOST}Transfer-Encoding: chunked\r\n`
export const CHUNKS = "2\r\n{}\r\n0\r\n\r\n"
