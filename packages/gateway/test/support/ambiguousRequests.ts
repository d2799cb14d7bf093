/** Requests that two servers could read differently, for every place that reads requests. */

/** Returns a request with these headers, each with its line end. */
export const request = (start: string, headers: string, body: string): string =>
  `${start} HTTP/1.1\r\n${headers}\r\n${body}`

/** A request with a hidden second request, and the status with which it must be refused. */
export interface AmbiguousRequest {
  readonly what: string
  readonly status: number
  readonly text: string
}

/**
 * Returns requests with a hidden second request. The hidden request must not run, even if another server would find it.
 * `start` is a method and a target, such as `POST /v3/key`.
 */
export const ambiguousRequests = (start: string, body: string): ReadonlyArray<AmbiguousRequest> => {
  const length = `content-length: ${body.length}\r\n`
  const chunked = chunksOf(body)
  const cases: ReadonlyArray<readonly [what: string, status: number, headers: string, body?: string]> = [
    ["two hosts", 400, `host: a\r\nhost: b\r\n${length}`],
    ["the same host twice", 400, `host: a\r\nHOST: a\r\n${length}`],
    ["two hosts in one header", 400, `host: a, b\r\n${length}`],
    ["a host with a path", 400, `host: a/b\r\n${length}`],
    ["a host with a user name", 400, `host: u@a\r\n${length}`],
    ["no host", 400, length],
    ["a coding before chunked", 501, "host: x\r\ntransfer-encoding: gzip, chunked\r\n", chunked],
    [
      "a coding before chunked, in two headers",
      501,
      "host: x\r\ntransfer-encoding: gzip\r\ntransfer-encoding: chunked\r\n",
      chunked
    ],
    ["chunked twice", 400, "host: x\r\ntransfer-encoding: chunked, chunked\r\n", chunked],
    ["a coding behind chunked", 400, "host: x\r\ntransfer-encoding: chunked, identity\r\n", chunked],
    ["a coding alone", 400, "host: x\r\ntransfer-encoding: gzip\r\n", chunked],
    ["identity", 400, "host: x\r\ntransfer-encoding: identity\r\n", chunked],
    ["a coding with a tab", 400, "host: x\r\ntransfer-encoding:\tx\u000bchunked\r\n", chunked],
    ["a length beside chunks", 400, `host: x\r\n${length}transfer-encoding: chunked\r\n`, chunked],
    ["chunks beside a length", 400, `host: x\r\ntransfer-encoding: chunked\r\n${length}`, chunked],
    ["two lengths", 400, `host: x\r\n${length}content-length: 5\r\n`],
    ["the same length twice", 400, `host: x\r\n${length}${length}`],
    ["two lengths in one header", 400, `host: x\r\ncontent-length: ${body.length}, ${body.length}\r\n`],
    ["a length with a sign", 400, `host: x\r\ncontent-length: +${body.length}\r\n`],
    ["a length in hex", 400, `host: x\r\ncontent-length: 0x${body.length.toString(16)}\r\n`],
    ["a folded header", 400, `host: x\r\nx-a: b\r\n c: d\r\n${length}`],
    ["a space before a colon", 400, `host: x\r\ncontent-length : ${body.length}\r\n`],
    ["a bare carriage return", 400, `host: x\r\nx-a: b\rc: d\r\n${length}`],
    ["a NUL", 400, `host: x\r\nx-a: b\0\r\n${length}`],
    ["a chunk size that is none", 400, "host: x\r\ntransfer-encoding: chunked\r\n", "zz\r\n\r\n"],
    [
      "a chunk that is longer than it says",
      400,
      "host: x\r\ntransfer-encoding: chunked\r\n",
      `1\r\n${body}\r\n0\r\n\r\n`
    ]
  ]
  return cases.map(([what, status, headers, own = body]) => ({ what, status, text: request(start, headers, own) }))
}

/** Returns a body as one chunk and the last. */
export const chunksOf = (body: string): string => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
