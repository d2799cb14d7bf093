/** Lengths, codings, chunks and headers that two readers could read differently. */
import { CHUNKED, CHUNKS, type FramingVector, GOOD, HOST, LENGTH, LINE, post } from "./vector.ts"

const vectors: Array<FramingVector> = []
const add = (name: string, ...steps: ReadonlyArray<string>): void => void vectors.push({ name, steps })

// content-length
for (const [name, h, b] of [
  ["CL plain", "Content-Length: 2", "{}"],
  ["CL zero", "Content-Length: 0", ""],
  ["no CL, no TE", "X: 1", ""],
  ["CL plus", "Content-Length: +2", "{}"],
  ["CL minus", "Content-Length: -2", "{}"],
  ["CL leading zeros", "Content-Length: 0002", "{}"],
  ["CL 00", "Content-Length: 00", ""],
  ["CL hex", "Content-Length: 0x2", "{}"],
  ["CL empty", "Content-Length:", "{}"],
  ["CL space inside", "Content-Length: 2 2", "{}".repeat(11)],
  ["CL trailing space", "Content-Length: 2 ", "{}"],
  ["CL trailing tab", "Content-Length: 2\t", "{}"],
  ["CL leading tab", "Content-Length:\t2", "{}"],
  ["CL no space", "Content-Length:2", "{}"],
  ["CL many spaces", "Content-Length:     2", "{}"],
  ["CL comma equal", "Content-Length: 2, 2", "{}"],
  ["CL comma different", "Content-Length: 2, 3", "{}"],
  ["CL comma empty", "Content-Length: 2,", "{}"],
  ["CL twice equal", "Content-Length: 2\r\nContent-Length: 2", "{}"],
  ["CL twice different", "Content-Length: 2\r\nContent-Length: 3", "{}"],
  ["CL twice, case", "Content-Length: 2\r\ncontent-length: 2", "{}"],
  ["CL huge", "Content-Length: 99999999999999999999", "{}"],
  ["CL 2^64", "Content-Length: 18446744073709551616", "{}"],
  ["CL 2^32+2", "Content-Length: 4294967298", "{}"],
  ["CL float", "Content-Length: 2.0", "{}"],
  ["CL exp", "Content-Length: 2e0", "{}"],
  ["CL quoted", 'Content-Length: "2"', "{}"],
  ["CL upper name", "CONTENT-LENGTH: 2", "{}"],
  ["CL mixed name", "cOnTeNt-LeNgTh: 2", "{}"],
  ["CL with VT", "Content-Length: \x0b2", "{}"],
  ["CL with NUL", "Content-Length: 2\u0000", "{}"],
  ["CL with NBSP", "Content-Length: \xa02", "{}"],
  ["CL short by one, more follows", "Content-Length: 1", "{}"],
  ["CL 8 digits with zero", "Content-Length: 00000002", "{}"]
] as const)
  add(name, post(HOST + h + LINE, b))
add("CL underscore", post(HOST + "Content_Length: 2" + LINE, "{}"))
add("CL too long, client waits", post(HOST + "Content-Length: 5" + LINE, "{}"))
// transfer-encoding
for (const [name, h, b] of [
  ["TE chunked", "Transfer-Encoding: chunked", CHUNKS],
  ["TE Chunked case", "Transfer-Encoding: Chunked", CHUNKS],
  ["TE CHUNKED name case", "TRANSFER-ENCODING: CHUNKED", CHUNKS],
  ["TE + CL", "Transfer-Encoding: chunked\r\nContent-Length: 2", CHUNKS],
  ["CL + TE", "Content-Length: 2\r\nTransfer-Encoding: chunked", CHUNKS],
  ["CL 0 + TE", "Content-Length: 0\r\nTransfer-Encoding: chunked", CHUNKS],
  ["TE twice", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", CHUNKS],
  ["TE identity", "Transfer-Encoding: identity", "{}"],
  ["TE identity, chunked", "Transfer-Encoding: identity, chunked", CHUNKS],
  ["TE gzip, chunked", "Transfer-Encoding: gzip, chunked", CHUNKS],
  ["TE chunked, gzip", "Transfer-Encoding: chunked, gzip", CHUNKS],
  ["TE chunked, identity", "Transfer-Encoding: chunked, identity", CHUNKS],
  ["TE gzip", "Transfer-Encoding: gzip", CHUNKS],
  ["TE xchunked", "Transfer-Encoding: xchunked", CHUNKS],
  ["TE chunkedx", "Transfer-Encoding: chunkedx", CHUNKS],
  ["TE chunked;q", "Transfer-Encoding: chunked;q=1", CHUNKS],
  ["TE quoted", 'Transfer-Encoding: "chunked"', CHUNKS],
  ["TE tab", "Transfer-Encoding:\tchunked", CHUNKS],
  ["TE trailing space", "Transfer-Encoding: chunked ", CHUNKS],
  ["TE trailing tab", "Transfer-Encoding: chunked\t", CHUNKS],
  ["TE VT", "Transfer-Encoding: \x0bchunked", CHUNKS],
  ["TE NUL", "Transfer-Encoding: chunked\u0000", CHUNKS],
  ["TE space before colon", "Transfer-Encoding : chunked", CHUNKS],
  ["TE fold", "Transfer-Encoding:\r\n chunked", CHUNKS],
  ["TE fold 2", "X: y\r\n Transfer-Encoding: chunked\r\nContent-Length: 2", "{}"],
  ["TE empty", "Transfer-Encoding:", CHUNKS],
  ["TE comma", "Transfer-Encoding: ,chunked", CHUNKS],
  ["TE trailing comma", "Transfer-Encoding: chunked,", CHUNKS],
  ["TE chunked twice in one", "Transfer-Encoding: chunked, chunked", CHUNKS],
  ["TE bare LF hidden", "X: y\nTransfer-Encoding: chunked\r\nContent-Length: 2", "{}"],
  ["TE bare CR hidden", "X: y\rTransfer-Encoding: chunked\r\nContent-Length: 2", "{}"],
  ["TE underscore", "Transfer_Encoding: chunked\r\nContent-Length: 2", "{}"],
  ["TE no value then CL", "Transfer-Encoding: \r\nContent-Length: 2", "{}"],
  ["TE first identity then chunked", "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked", CHUNKS]
] as const)
  add(name, post(HOST + h + LINE, b))
// chunks
for (const [name, b] of [
  ["chunk none", "0\r\n\r\n"],
  ["chunk many", "1\r\n{\r\n1\r\n}\r\n0\r\n\r\n"],
  ["chunk ext", "2;a=b\r\n{}\r\n0\r\n\r\n"],
  ["chunk ext name", "2;a\r\n{}\r\n0\r\n\r\n"],
  ["chunk ext quoted", '2;a="b c"\r\n{}\r\n0\r\n\r\n'],
  ["chunk ext quoted CRLF", '2;a="\r\n"\r\n{}\r\n0\r\n\r\n'],
  ["chunk ext space", "2 ;a=b\r\n{}\r\n0\r\n\r\n"],
  ["chunk ext LF", "2;a\n{}\r\n0\r\n\r\n"],
  ["chunk ext bare ;", "2;\r\n{}\r\n0\r\n\r\n"],
  ["chunk ext long", "2;" + "a".repeat(20000) + "\r\n{}\r\n0\r\n\r\n"],
  ["chunk size spaces", "2  \r\n{}\r\n0\r\n\r\n"],
  ["chunk size leading space", " 2\r\n{}\r\n0\r\n\r\n"],
  ["chunk size zeros", "0002\r\n{}\r\n0\r\n\r\n"],
  ["chunk size upper", "A\r\n" + "x".repeat(10) + "\r\n0\r\n\r\n"],
  ["chunk size 0x", "0x2\r\n{}\r\n0\r\n\r\n"],
  ["chunk size minus", "-2\r\n{}\r\n0\r\n\r\n"],
  ["chunk size plus", "+2\r\n{}\r\n0\r\n\r\n"],
  ["chunk size huge", "fffffffffffffffff\r\n{}\r\n0\r\n\r\n"],
  ["chunk size 16 f", "ffffffffffffffff\r\n{}\r\n0\r\n\r\n"],
  ["chunk size wraps", "10000000000000002\r\n{}\r\n0\r\n\r\n"],
  ["chunk size not hex", "g\r\n{}\r\n0\r\n\r\n"],
  ["chunk size empty", "\r\n{}\r\n0\r\n\r\n"],
  ["chunk LF", "2\n{}\r\n0\r\n\r\n"],
  ["chunk LF all", "2\n{}\n0\n\n"],
  ["chunk CR only", "2\r{}\r\n0\r\n\r\n"],
  ["chunk no CRLF after data", "2\r\n{}0\r\n\r\n"],
  ["chunk LF after data", "2\r\n{}\n0\r\n\r\n"],
  ["chunk data too long", "2\r\n{}}\r\n0\r\n\r\n"],
  ["chunk last with ext", "2\r\n{}\r\n0;a=b\r\n\r\n"],
  ["chunk last 000", "2\r\n{}\r\n000\r\n\r\n"],
  ["trailer", "2\r\n{}\r\n0\r\nX: y\r\n\r\n"],
  ["trailer CL", "2\r\n{}\r\n0\r\nContent-Length: 5\r\n\r\n"],
  ["trailer TE", "2\r\n{}\r\n0\r\nTransfer-Encoding: chunked\r\n\r\n"],
  ["trailer Host", "2\r\n{}\r\n0\r\nHost: b\r\n\r\n"],
  ["trailer bad", "2\r\n{}\r\n0\r\nX y\r\n\r\n"],
  ["trailer LF", "2\r\n{}\r\n0\r\nX: y\n\n"],
  ["trailer many", "2\r\n{}\r\n0\r\n" + "X: y\r\n".repeat(300) + "\r\n"],
  ["trailer huge", "2\r\n{}\r\n0\r\nX: " + "y".repeat(20000) + "\r\n\r\n"],
  ["chunk end LF", "2\r\n{}\r\n0\r\n\n"],
  ["chunk, never ended", "2\r\n{}\r\n"],
  ["chunk then next", "2\r\n{}\r\n0\r\n\r\n" + GOOD]
] as const)
  add(name, post(CHUNKED, b))
add("trailer declared", post(CHUNKED + "Trailer: X\r\n", "2\r\n{}\r\n0\r\nX: y\r\n\r\n"))
add(
  "many one-byte chunks",
  post(CHUNKED, "1;" + "e".repeat(40) + "\r\nx\r\n" + ("1;" + "e".repeat(40) + "\r\nx\r\n").repeat(800) + "0\r\n\r\n")
)
// header syntax
for (const [name, h] of [
  ["fold", "X: a\r\n b" + LINE + LENGTH],
  ["fold tab", "X: a\r\n\tb" + LINE + LENGTH],
  ["fold first line", " X: a" + LINE + LENGTH],
  ["fold CL", "Content-Length:\r\n 2" + LINE],
  ["LF header", "X: a\n" + LENGTH],
  ["LF before CL", "X: a" + LINE + "Content-Length: 2\n"],
  ["CR in value", "X: a\rb" + LINE + LENGTH],
  ["CR end", "X: a\r" + LENGTH],
  ["space before colon", "X : a" + LINE + LENGTH],
  ["tab before colon", "X\t: a" + LINE + LENGTH],
  ["CL space before colon", "Content-Length : 2" + LINE],
  ["no colon", "X" + LINE + LENGTH],
  ["empty name", ": a" + LINE + LENGTH],
  ["empty value", "X:" + LINE + LENGTH],
  ["empty value spaces", "X:   " + LINE + LENGTH],
  ["two empty values", "X:" + LINE + "Y:" + LINE + LENGTH],
  ["empty then TE", "X:" + LINE + "Transfer-Encoding: chunked" + LINE + LENGTH],
  ["name with space", "X Y: a" + LINE + LENGTH],
  ["name with NUL", "X\u0000: a" + LINE + LENGTH],
  ["name with 8 bit", "X\xe9: a" + LINE + LENGTH],
  ["name with (", "X(: a" + LINE + LENGTH],
  ["name with /", "X/: a" + LINE + LENGTH],
  ['name with "', 'X": a' + LINE + LENGTH],
  ["name with @", "X@: a" + LINE + LENGTH],
  ["name with {", "X{: a" + LINE + LENGTH],
  ["name with |", "X|: a" + LINE + LENGTH],
  ["name with ~", "X~: a" + LINE + LENGTH],
  ["value with NUL", "X: a\u0000b" + LINE + LENGTH],
  ["value with BEL", "X: a\x07b" + LINE + LENGTH],
  ["value with DEL", "X: a\x7fb" + LINE + LENGTH],
  ["value with ESC", "X: \x1b[1m" + LINE + LENGTH],
  ["value with 8 bit", "X: \xe9\xff" + LINE + LENGTH],
  ["value with tab", "X: a\tb" + LINE + LENGTH],
  ["value with FF", "X: a\x0cb" + LINE + LENGTH],
  ["dup content-type", "Content-Type: a" + LINE + "Content-Type: b" + LINE + LENGTH],
  ["Cookie", "Cookie: a=b" + LINE + LENGTH],
  ["Origin", "Origin: http://x" + LINE + LENGTH],
  ["authorization", "Authorization: Basic OmE=" + LINE + LENGTH],
  ["content-encoding gzip", "Content-Encoding: gzip" + LINE + LENGTH],
  ["te: trailers", "TE: trailers" + LINE + LENGTH],
  ["100 headers", "X: a\r\n".repeat(100) + LENGTH],
  ["150 headers", "X: a\r\n".repeat(150) + LENGTH],
  ["1999 headers", "X: a\r\n".repeat(1990) + LENGTH],
  ["2100 headers", "X:a\r\n".repeat(2100) + LENGTH],
  ["head 15 KiB", "X: " + "a".repeat(15000) + LINE + LENGTH],
  ["head 16.2 KiB", "X: " + "a".repeat(16300) + LINE + LENGTH],
  ["head 17 KiB", "X: " + "a".repeat(17000) + LINE + LENGTH],
  ["head 100 KiB", "X: " + "a".repeat(100000) + LINE + LENGTH],
  ["name 20 KiB", "X".repeat(20000) + ": a" + LINE + LENGTH],
  ["CL hidden in value", "X: Content-Length: 5" + LINE + LENGTH],
  ["name ends in content-length", "X-Content-Length: 5" + LINE + LENGTH],
  ["header __proto__", "__proto__: a" + LINE + LENGTH]
] as const)
  add(name, post(HOST + h, "{}"))
add("head ends LF LF", "POST /v3/k HTTP/1.1\nHost: a\nContent-Length: 2\n\n{}")
add("head ends CRLF LF", "POST /v3/k HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\n{}")
add("LF after request line", "POST /v3/k HTTP/1.1\nHost: a\r\nContent-Length: 2\r\n\r\n{}")
add("CR after request line", "POST /v3/k HTTP/1.1\rHost: a\r\nContent-Length: 2\r\n\r\n{}")
add("head ends CR CR", "POST /v3/k HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\r{}")

export const framing: ReadonlyArray<FramingVector> = vectors
