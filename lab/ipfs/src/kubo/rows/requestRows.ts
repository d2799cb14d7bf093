/** Rows about the rules of requests: methods, origins, options, encodings, bodies. */
import { utf8 } from "../../suite/content.ts"
import { type Call, shown } from "../askNode.ts"
import { type Row } from "../comparedRow.ts"

const row = (name: string, path: string, call: Call = {}): Row => ({
  name: `request ${name}`,
  run: ({ see }) => see(path, call)
})

const HELLO = [{ body: "hello" }]

const raw = (type: string, body: string): Call => ({ headers: { "content-type": type }, parts: [{ body }] })

export const rows: ReadonlyArray<Row> = [
  ...["GET", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH"].map((method) => row(method, "version", { method })),
  row("of no command", "nothing"),
  row("of no command below one", "cat/a/b"),
  row("of the root", ""),
  row("from a foreign origin", "version", { headers: { origin: "https://evil.example" } }),
  row("with a foreign referer", "version", { headers: { referer: "https://evil.example/x" } }),
  row("of a browser without an origin", "version", { headers: { "user-agent": "Mozilla/5.0" } }),
  row("of Electron", "version", { headers: { "user-agent": "Mozilla/5.0 Electron/1" } }),
  row("of a page of this machine", "version", { headers: { origin: "http://localhost:1234" } }),
  row("of another Kubo", "version", { headers: { "user-agent": "/kubo/0.30.0/" } }),
  row("of another go-ipfs", "id", { headers: { "user-agent": "go-ipfs/0.4.1" } }),
  row("with an option twice", "add?pin=true&pin=false", { parts: HELLO }),
  row("with a bool that is none", "add?pin=maybe", { parts: HELLO }),
  row("with an empty bool", "add?pin=", { parts: HELLO }),
  row("with an int that is none", "add?cid-version=one", { parts: HELLO }),
  row("with an int in hexadecimal", "add?cid-version=0x1", { parts: HELLO }),
  row("with a uint below zero", "add?mode=-1", { parts: HELLO }),
  ...["1", "t", "T", "TRUE", "True", "0", "f", "F", "FALSE", "False", "yes", "tRUE"].map((value) =>
    row(`with pin=${value}`, `add?pin=${value}`, { parts: HELLO })
  ),
  row("with an encoding that is none", "version?encoding=nonsense"),
  row("with XML", "version?enc=xml"),
  row("with text", "id?encoding=text"),
  row("without a body", "add"),
  row("with a body without parts", "add", { parts: [] }),
  row("with a body of JSON", "add", { headers: { "content-type": "application/json" }, parts: HELLO }),
  row("without a boundary", "add", raw("multipart/form-data", "x")),
  row("with another boundary", "add", raw("multipart/form-data; boundary=other", "x")),
  row("with a part without a field", "add", { parts: [{ body: "hello", field: "" }] }),
  row("with another field", "add", { parts: [{ body: "hello", field: "data" }] }),
  row("with a mode that is none", "add", { parts: [{ body: "hello", field: "file?mode=x" }] }),
  row("with a mode of nine", "add", { parts: [{ body: "hello", field: "file?mode=0999" }] }),
  row("with a time that is none", "add", { parts: [{ body: "hello", field: "file?mtime=x" }] }),
  row("with nanoseconds and no time", "add", { parts: [{ body: "hello", field: "file?mtime-nsecs=5" }] }),
  row("with two arguments where one is taken", "dag/get?arg=a&arg=b"),
  row("with an argument in the path and in the query", "cat/QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH?arg=x"),
  row("of a cid-base that is none", "add?cid-base=nonsense", { parts: HELLO }),
  ...[
    "base16",
    "base32upper",
    "base32hex",
    "base64",
    "base64url",
    "base2",
    "base10",
    "base58flickr",
    "base256emoji",
    "z",
    "B"
  ].map((base) => row(`with cid-base=${base}`, `add?cid-version=1&cid-base=${base}`, { parts: HELLO })),
  {
    name: "request version",
    run: async ({ ask }) => {
      const { json, ...seen } = shown(await ask("version")) as { readonly json: object }
      return { ...seen, keys: Object.keys(json) }
    }
  },
  {
    name: "request id",
    run: async ({ ask }) => {
      const { json, ...seen } = shown(await ask("id")) as { readonly json: object }
      return { ...seen, keys: Object.keys(json) }
    }
  },
  row("with a file that is gzip", "add", { headers: { "content-encoding": "gzip" }, parts: [{ body: utf8("x") }] })
]
