/** Request lines, hosts, connections, and requests one behind the other. */
import { CHUNKED, CHUNKS, type FramingVector, HOST, LENGTH, LINE, post } from "./vector.ts"

const vectors: Array<FramingVector> = []
const add = (name: string, ...steps: ReadonlyArray<string>): void => void vectors.push({ name, steps })

// request line
const R = (line: string) => line + "\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}"
for (const [name, l] of [
  ["absolute form", "POST http://a/v3/k HTTP/1.1"],
  ["absolute form other host", "POST http://b/v3/k HTTP/1.1"],
  ["lower-case method", "post /v3/k HTTP/1.1"],
  ["mixed-case method", "Post /v3/k HTTP/1.1"],
  ["unknown method", "POSTX /v3/k HTTP/1.1"],
  ["HTTP/1.0", "POST /v3/k HTTP/1.0"],
  ["HTTP/0.9", "POST /v3/k"],
  ["HTTP/0.9 with version", "POST /v3/k HTTP/0.9"],
  ["HTTP/2.0", "POST /v3/k HTTP/2.0"],
  ["HTTP/1.2", "POST /v3/k HTTP/1.2"],
  ["HTTP/1.10", "POST /v3/k HTTP/1.10"],
  ["http/1.1 lower", "POST /v3/k http/1.1"],
  ["HTTP/1", "POST /v3/k HTTP/1"],
  ["RTSP", "POST /v3/k RTSP/1.0"],
  ["ICE", "POST /v3/k ICE/1.0"],
  ["two spaces", "POST  /v3/k HTTP/1.1"],
  ["two spaces before version", "POST /v3/k  HTTP/1.1"],
  ["tab", "POST\t/v3/k HTTP/1.1"],
  ["trailing space", "POST /v3/k HTTP/1.1 "],
  ["leading space", " POST /v3/k HTTP/1.1"],
  ["leading CRLF", "\r\nPOST /v3/k HTTP/1.1"],
  ["leading CRLFs", "\r\n\r\n\r\nPOST /v3/k HTTP/1.1"],
  ["leading LF", "\nPOST /v3/k HTTP/1.1"],
  ["leading NUL", "\u0000POST /v3/k HTTP/1.1"],
  ["network", "POST /sepolia/v3/k HTTP/1.1"],
  ["query", "POST /v3/k?x=1 HTTP/1.1"],
  ["fragment", "POST /v3/k#x HTTP/1.1"],
  ["percent", "POST /v3/%6b HTTP/1.1"],
  ["dot segments", "POST /x/../v3/k HTTP/1.1"],
  ["double slash", "POST //v3/k HTTP/1.1"],
  ["trailing slash", "POST /v3/k/ HTTP/1.1"],
  ["no key", "POST /v3/ HTTP/1.1"],
  ["star", "POST * HTTP/1.1"],
  ["authority", "POST a:80 HTTP/1.1"],
  ["8 bit in path", "POST /v3/\xe9 HTTP/1.1"],
  ["NUL in path", "POST /v3/k\u0000 HTTP/1.1"],
  ["DEL in path", "POST /v3/k\x7f HTTP/1.1"],
  ["long path", "POST /v3/" + "k".repeat(9000) + " HTTP/1.1"],
  ["path 20 KiB", "POST /v3/" + "k".repeat(20000) + " HTTP/1.1"],
  ["key 129", "POST /v3/" + "k".repeat(129) + " HTTP/1.1"],
  ["GET with body", "GET /v3/k HTTP/1.1"],
  ["PUT", "PUT /v3/k HTTP/1.1"],
  ["HEAD", "HEAD /v3/k HTTP/1.1"],
  ["OPTIONS", "OPTIONS /v3/k HTTP/1.1"],
  ["DELETE", "DELETE /v3/k HTTP/1.1"],
  ["CONNECT", "CONNECT a:80 HTTP/1.1"],
  ["PRI", "PRI * HTTP/2.0"],
  ["QUERY", "QUERY /v3/k HTTP/1.1"],
  ["SOURCE", "SOURCE /v3/k HTTP/1.1"]
] as const)
  add(name, R(l))
// host, connection, expect, upgrade
for (const [name, h] of [
  ["no Host", LENGTH],
  ["two Hosts", "Host: a\r\nHost: b\r\n" + LENGTH],
  ["two equal Hosts", "Host: a\r\nHost: a\r\n" + LENGTH],
  ["empty Host", "Host:\r\n" + LENGTH],
  ["bad Host", "Host: a b/\r\n" + LENGTH],
  ["Connection: close", HOST + "Connection: close\r\n" + LENGTH],
  ["Connection: Close", HOST + "Connection: Close\r\n" + LENGTH],
  ["Connection: keep-alive", HOST + "Connection: keep-alive\r\n" + LENGTH],
  ["Connection: keep-alive, close", HOST + "Connection: keep-alive, close\r\n" + LENGTH],
  ["Connection: close twice", HOST + "Connection: close\r\nConnection: keep-alive\r\n" + LENGTH],
  ["Connection: x", HOST + "Connection: x\r\n" + LENGTH],
  ["Connection empty", HOST + "Connection:\r\n" + LENGTH],
  ["Connection: Content-Length", HOST + "Connection: Content-Length\r\n" + LENGTH],
  ["Expect", HOST + "Expect: 100-continue\r\n" + LENGTH],
  ["Expect other", HOST + "Expect: x\r\n" + LENGTH],
  ["Upgrade websocket", HOST + "Connection: Upgrade\r\nUpgrade: websocket\r\n" + LENGTH],
  ["Upgrade alone", HOST + "Upgrade: h2c\r\n" + LENGTH],
  ["Upgrade h2c", HOST + "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AA\r\n" + LENGTH],
  ["Connection: upgrade alone", HOST + "Connection: upgrade\r\n" + LENGTH],
  ["Proxy-Connection", HOST + "Proxy-Connection: close\r\n" + LENGTH],
  ["Keep-Alive header", HOST + "Keep-Alive: timeout=1\r\n" + LENGTH]
] as const)
  add(name, post(h, "{}"))
// sequences
const get = "GET /x HTTP/1.1\r\nHost: a\r\n\r\n",
  two = (key: string, body = "{}") => post(HOST + "Content-Length: " + body.length + LINE, body, "/v3/" + key)
add("pipelined 2", two("a") + two("b"))
add("pipelined 50", Array.from({ length: 50 }, (_, i) => two("k" + i)).join(""))
add("pipelined slow first", two("slow") + two("b") + two("c"))
add("pipelined slow both", two("slow") + two("xslow"))
add("pipelined POST GET POST", two("a") + get + two("b"))
add("pipelined slow GET POST", two("slow") + get + two("b"))
add("pipelined GET POST", get + two("b"))
add("pipelined POST, bad", two("a") + "BAD\r\n\r\n")
add("pipelined slow, bad", two("slow") + "BAD\r\n\r\n")
add("pipelined POST, CRLF, POST", two("a") + "\r\n" + two("b"))
add("pipelined close then more", post(HOST + "Connection: close\r\n" + LENGTH, "{}") + two("b"))
add("pipelined close then garbage", post(HOST + "Connection: close\r\n" + LENGTH, "{}") + "XX")
add("slow close then more", post(HOST + "Connection: close\r\n" + LENGTH, "{}", "/v3/slow") + two("b"))
add("other CL", two("a") + two("a", '{"x":1}') + two("a", "") + two("a", "0123456789"))
add("same head, CL with zero", two("a") + two("a").replace(": 2", ": 02"))
add("same head, CL plus", two("a") + two("a").replace(": 2", ": +2"))
add("same head, TE after", two("a") + two("a").replace("\r\n\r\n", "\r\nTransfer-Encoding: chunked\r\n\r\n"))
add("same head, CL too large", two("a") + two("a").replace(": 2", ": 99999999"))
add("same head, CL empty", two("a") + two("a").replace(": 2", ": "))
add("chunked then CL", post(CHUNKED, CHUNKS) + two("b"))
add(
  "smuggle CL.TE",
  post(HOST + "Content-Length: 30\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\nGET /admin HTTP/1.1\r\nHost: a\r\n\r\n")
)
add(
  "smuggle TE.CL",
  post(HOST + "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n", "5c\r\nGET /admin HTTP/1.1\r\n\r\n0\r\n\r\n")
)
add("body looks like a request", two("a", get) + two("b"))
add("half-close after request", two("a"), "FIN")
add("half-close after slow request", two("slow"), "FIN")
add("half-close at once", "FIN")
add("half-close in head", "POST /v3/k HTTP/1.1\r\nHos", "FIN")
add("half-close in body", post(HOST + "Content-Length: 5" + LINE, "{}"), "FIN")
add("half-close in chunk", post(CHUNKED, "5\r\n{}"), "FIN")
add("half-close between", two("a"), "WAIT", "FIN")
add("half-close, slow and half a request", two("slow") + "POST /v3/k HT", "FIN")
add("half-close in second", two("a"), "WAIT", "POST /v3", "FIN")
add("half-close in chunked end", post(CHUNKED, "2\r\n{}\r\n0\r\n"), "FIN")
add("leave in head", "POST /v3/k HTTP/1.1\r\nHos", "RST")
add("leave in body", post(HOST + "Content-Length: 5" + LINE, "{}"), "RST")
add("leave while slow", two("slow"), "RST")
add("head, then body later", post(HOST + LENGTH, ""), "WAIT", "{}")
add("body in three parts", post(HOST + "Content-Length: 6" + LINE, "{ "), "WAIT", "  ", "WAIT", " }")
add(
  "second body in parts",
  two("a"),
  "WAIT",
  two("a", "").replace(": 0", ": 6") + "{ ",
  "WAIT",
  "  ",
  "WAIT",
  " }" + two("b")
)
add(
  "second head in parts",
  two("a"),
  "WAIT",
  "POST /v3/a HTTP/1.1\r\nHo",
  "WAIT",
  "st: a\r\nContent-Length: 2\r\n\r\n{}"
)
add(
  "second head cut at CL",
  two("a"),
  "WAIT",
  "POST /v3/a HTTP/1.1\r\nHost: a\r\nContent-Length: 1",
  "WAIT",
  "2\r\n\r\n0123456789ab"
)
add("GET after lane", two("a"), "WAIT", get, "WAIT", two("b"))
add("Expect, body later", post(HOST + "Expect: 100-continue\r\n" + LENGTH, ""), "WAIT", "{}")
add("body 200 KiB", post(HOST + "Content-Length: 204800" + LINE, "x".repeat(204800)))
add("body over lane limit", post(HOST + "Content-Length: 1200000" + LINE, "x".repeat(1200000)))
add("chunked over lane limit", post(CHUNKED, "124f80\r\n" + "x".repeat(1200000) + "\r\n0\r\n\r\n"))
add("nothing but CRLF", "\r\n\r\n")
add("nothing but garbage", "\x16\x03\x01\x02\x00\x01\x00")
add("TLS hello long", "\x16\x03\x01" + "a".repeat(600))
add("HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
add("response", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
add("proxy protocol", "PROXY TCP4 1.1.1.1 2.2.2.2 1 2\r\n" + two("a"))

export const sequences: ReadonlyArray<FramingVector> = vectors
