/** Rows about blocks and IPLD data: every pair of codecs, numbers of every kind, CARs. */
import { keyStream, utf8 } from "../../suite/content.ts"
import { linesOf } from "../askNode.ts"
import { call, type Given, type Row } from "../comparedRow.ts"

const CODECS = [
  "dag-json",
  "dag-cbor",
  "dag-pb",
  "raw",
  "json",
  "cbor",
  "libp2p-key",
  "dag-jose",
  "eth-block",
  "git-raw",
  "nonsense"
]

const LINK = "bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq"

/** JSON texts of values. JSON, CBOR and the strict forms of both treat these values differently. */
const VALUES: Readonly<Record<string, string>> = {
  "an object": '{"b":1,"a":[true,false,null,"x"]}',
  "an empty object": "{}",
  "a number": "1",
  zero: "0",
  "minus zero": "-0",
  "a float of a whole number": '{"a":1.0}',
  "a float": '{"a":1.5}',
  "a float with an exponent": '{"a":1e3}',
  "a large float": '{"a":1e100}',
  "a float of zero": '{"a":0.0}',
  "a float of minus zero": '{"a":-0.0}',
  "a small float": '{"a":5e-324}',
  "a float that is too large": '{"a":1e999}',
  "2^53": '{"a":9007199254740992}',
  "2^53 + 1": '{"a":9007199254740993}',
  "2^63 - 1": '{"a":9223372036854775807}',
  "2^63": '{"a":9223372036854775808}',
  "2^64 - 1": '{"a":18446744073709551615}',
  "2^64": '{"a":18446744073709551616}',
  "-2^53": '{"a":-9007199254740992}',
  "-2^63": '{"a":-9223372036854775808}',
  "-2^63 - 1": '{"a":-9223372036854775809}',
  "a number with a plus": '{"a":+1}',
  "a number with a zero before": '{"a":01}',
  "a text": '"x"',
  null: "null",
  "a link": `{"/":"${LINK}"}`,
  "a link in an object": `{"l":{"/":"${LINK}"}}`,
  "a link that is none": '{"/":"nonsense"}',
  "a link of version 0": '{"/":"QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH"}',
  bytes: '{"/":{"bytes":"AQID"}}',
  "bytes with padding": '{"/":{"bytes":"AQ=="}}',
  "bytes that are none": '{"/":{"bytes":1}}',
  "a slash and more": `{"/":"${LINK}","x":1}`,
  "a slash with an object": '{"/":{"x":1}}',
  "a slash with a number": '{"/":1}',
  "an array": "[1,2,[3]]",
  "keys out of order": '{"bb":1,"a":2,"ccc":3}',
  "a key twice": '{"a":1,"a":2}',
  "an empty key": '{"":1}',
  __proto__: '{"__proto__":1,"constructor":2}',
  "not ASCII": '{"ü":"\u{1f600}"}',
  "an escape": '{"a":"\\u00fc\\n\\/"}',
  "half a surrogate": '{"a":"\\ud800"}',
  "space around": ' { "a" : 1 } ',
  "a line behind": '{"a":1}\n',
  "something behind": '{"a":1} x',
  "two values": '{"a":1}{"b":2}',
  "half an object": '{"a":',
  nothing: "",
  "a dag-pb node": '{"Data":{"/":{"bytes":"CAE"}},"Links":[]}',
  "a dag-pb node with a link": `{"Data":{"/":{"bytes":"CAE"}},"Links":[{"Hash":{"/":"${LINK}"},"Name":"n","Tsize":3}]}`,
  "a dag-pb node with links out of order": `{"Links":[{"Hash":{"/":"${LINK}"},"Name":"z","Tsize":3},{"Hash":{"/":"${LINK}"},"Name":"a","Tsize":3}]}`,
  "a dag-pb node without Data": '{"Links":[]}',
  "a dag-pb node without Links": '{"Data":{"/":{"bytes":"CAE"}}}',
  "a dag-pb node with text as Data": '{"Data":"CAE","Links":[]}',
  "a dag-pb node with more": '{"Data":{"/":{"bytes":"CAE"}},"Links":[],"x":1}',
  "a dag-pb node with a link without a name": `{"Links":[{"Hash":{"/":"${LINK}"}}]}`,
  "a dag-pb node with a link without a hash": '{"Links":[{"Name":"n","Tsize":3}]}',
  "a dag-pb node with a negative size": `{"Links":[{"Hash":{"/":"${LINK}"},"Name":"n","Tsize":-3}]}`,
  "a dag-pb node with a link with more": `{"Links":[{"Hash":{"/":"${LINK}"},"Name":"n","Tsize":3,"x":1}]}`,
  "what is not a node": '{"x":1}'
}

/** Blocks in the codecs other than JSON, as hex. */
const BYTES: Readonly<Record<string, string>> = {
  "cbor of {a: 1}": "a1616101",
  "cbor of {a: 1.0} in 64 bits": "a16161fb3ff0000000000000",
  "cbor of {a: 1.5} in 16 bits": "a16161f93e00",
  "cbor of {a: 1.0} in 32 bits": "a16161fa3f800000",
  "cbor of an integer that is longer than it must be": "1801",
  "cbor of keys out of order": "a2626262016161 02".replaceAll(" ", ""),
  "cbor of a key twice": "a2616101616102",
  "cbor of a list without its length": "9f0102ff",
  "cbor of undefined": "f7",
  "cbor of NaN": "fb7ff8000000000000",
  "cbor of infinity": "fb7ff0000000000000",
  "cbor of a tag": "c11a514b67b0",
  "cbor of a number as a key": "a10102",
  "cbor of a link": "d82a5825000155122001020304050607080102030405060708010203040506070801020304050607 08".replaceAll(
    " ",
    ""
  ),
  "cbor with something behind": "0102",
  "cbor that is cut": "a161",
  "cbor of 2^64 - 1": "1bffffffffffffffff",
  "cbor of -2^64": "3bffffffffffffffff",
  "cbor of text that is not UTF-8": "61ff",
  "dag-pb of nothing": "",
  "dag-pb of a directory": "0a020801",
  "dag-pb whose data come before its links": "0a0208011202 1200".replaceAll(" ", ""),
  "dag-pb of a field that it has not": "1a00",
  "bytes of nothing": "0102030405ff"
}

const puts: ReadonlyArray<Row> = [
  ...Object.entries(VALUES).flatMap(([what, text]) =>
    ["dag-cbor", "dag-json", "dag-pb", "raw", "cbor", "json"].flatMap((store) =>
      (store === "dag-cbor" ? ["dag-json", "json"] : ["dag-json"]).map((input) => ({
        what: `${what}, ${input} to ${store}`,
        options: `store-codec=${store}&input-codec=${input}`,
        body: utf8(text)
      }))
    )
  ),
  ...Object.entries(BYTES).flatMap(([what, hex]) =>
    ["dag-cbor", "cbor", "dag-pb", "raw"].flatMap((input) =>
      ["dag-cbor", "dag-json", "dag-pb", "raw"].map((store) => ({
        what: `${what}, ${input} to ${store}`,
        options: `store-codec=${store}&input-codec=${input}`,
        body: Buffer.from(hex, "hex")
      }))
    )
  ),
  ...CODECS.flatMap((input) =>
    CODECS.map((store) => ({
      what: `an empty object, ${input} to ${store}`,
      options: `store-codec=${store}&input-codec=${input}`,
      body: utf8("{}")
    }))
  )
].map(({ body, options, what }) => ({
  name: `dag/put ${what}`,
  run: async ({ ask, see }: Given) => {
    const reply = await ask(`dag/put?${options}`, { parts: [{ body }] })
    const cid: string | undefined = linesOf(reply.body)[0]?.Cid?.["/"]
    if (cid === undefined)
      return {
        status: reply.status,
        type: reply.headers["content-type"],
        keys: Object.keys(linesOf(reply.body)[0] ?? {})
      }
    return { status: reply.status, cid, block: await see(`block/get?arg=${cid}`), get: await see(`dag/get?arg=${cid}`) }
  }
}))

const FORMATS = [
  "raw",
  "dag-pb",
  "dag-cbor",
  "dag-json",
  "v0",
  "protobuf",
  "cbor",
  "json",
  "eth-block",
  "git-raw",
  "libp2p-key",
  "nonsense"
]

const block = keyStream("kubo/block", 100)

const blocks: ReadonlyArray<Row> = [
  call("block/put", "block/put", [{ body: block }]),
  call("block/put: nothing in it", "block/put", [{ body: "" }]),
  call("block/put: two parts", "block/put", [{ body: block }, { body: "x" }]),
  ...FORMATS.flatMap((format) => [
    call(`block/put: cid-codec=${format}`, `block/put?cid-codec=${format}`, [{ body: block }]),
    call(`block/put: format=${format}`, `block/put?format=${format}`, [{ body: block }])
  ]),
  call("block/put: format and cid-codec", "block/put?format=v0&cid-codec=raw", [{ body: block }]),
  ...[
    "sha2-256",
    "sha2-512",
    "sha3-256",
    "keccak-256",
    "keccak-512",
    "blake3",
    "blake2b-256",
    "blake2s-256",
    "identity",
    "sha1",
    "md5",
    "nonsense"
  ].map((hash) => call(`block/put: mhtype=${hash}`, `block/put?mhtype=${hash}`, [{ body: block }])),
  ...[-1, 0, 10, 19, 20, 31, 32, 33, 64].map((length) =>
    call(`block/put: mhlen=${length}`, `block/put?mhlen=${length}`, [{ body: block }])
  ),
  call("block/put: v0 of another hash", "block/put?format=v0&mhtype=sha2-512", [{ body: block }]),
  call("block/put: more than 2 MiB", "block/put", [{ body: keyStream("kubo/big", 2_097_153) }]),
  call("block/put: more than 2 MiB, allowed", "block/put?allow-big-block=true", [
    { body: keyStream("kubo/big", 2_097_153) }
  ]),
  call("block/put: no part", "block/put", []),
  call("block/put: no body", "block/put"),
  call("dag/put: no body", "dag/put"),
  ...["sha2-512", "blake3", "identity", "sha1", "nonsense"].map((hash) =>
    call(`dag/put: hash=${hash}`, `dag/put?hash=${hash}`, [{ body: '{"a":1}' }])
  ),
  call("dag/put: two parts", "dag/put", [{ body: '{"a":1}' }, { body: '{"a":2}' }]),
  call("dag/put: the second part is bad", "dag/put", [{ body: '{"a":1}' }, { body: "{" }])
]

/** Paths into data. */
const INTO = ["", "/a", "/a/b", "/a/b/0", "/a/b/01", "/a/b/9", "/a/b/-1", "/l", "/none", "/a/b/x", "/f", "/n"]

const into: ReadonlyArray<Row> = INTO.flatMap((path) =>
  ["dag/get", "dag/resolve", "dag/export", "block/get", "cat"].map((command) => ({
    name: `${command} CID${path}`,
    run: async ({ ask, see }: Given) => {
      await ask("block/put", { parts: [{ body: "kubo/linked" }] })
      const linked = linesOf((await ask("block/put", { parts: [{ body: "kubo/linked" }] })).body)[0].Key as string
      const body = `{"a":{"b":[1,{"c":2}]},"l":{"/":"${linked}"},"f":1.0,"n":null}`
      const cid = linesOf((await ask("dag/put", { parts: [{ body }] })).body)[0].Cid["/"] as string
      return see(`${command}?arg=${cid}${path}`)
    }
  }))
)

/** Nodes of dag-pb that are not UnixFS, and a directory, with a link that leads on. As JSON, `LEAF` is the link. */
const NODES: Readonly<Record<string, string>> = {
  "without Data": '{"Links":[{"Hash":{"/":"LEAF"},"Name":"m","Tsize":1},{"Hash":{"/":"LEAF"},"Name":"n","Tsize":1}]}',
  "with Data that is not UnixFS":
    '{"Data":{"/":{"bytes":"AQID"}},"Links":[{"Hash":{"/":"LEAF"},"Name":"n","Tsize":1}]}',
  "that is a directory": '{"Data":{"/":{"bytes":"CAE"}},"Links":[{"Hash":{"/":"LEAF"},"Name":"n","Tsize":1}]}'
}

const through: ReadonlyArray<Row> = Object.entries(NODES).flatMap(([what, node]) =>
  [
    "dag/get?arg=NODE/n",
    "dag/get?arg=NODE/n/a",
    "dag/get?arg=NODE/o",
    "dag/get?arg=NODE",
    "dag/resolve?arg=NODE/n",
    "dag/resolve?arg=NODE/n/a",
    "dag/export?arg=NODE/n",
    "block/get?arg=NODE/n",
    "block/stat?arg=NODE/n",
    "pin/add?arg=NODE/n",
    "pin/ls?arg=NODE/n",
    "cat?arg=NODE/n",
    "ls?arg=NODE/o",
    "/ipfs/NODE/n?format=raw",
    "/ipfs/NODE/o?format=raw",
    "/ipfs/NODE/n?format=car"
  ].map((path) => ({
    name: `a node of dag-pb ${what}: ${path}`,
    run: async ({ ask, see }: Given) => {
      const leaf = linesOf((await ask("dag/put", { parts: [{ body: '{"a":1}' }] })).body)[0].Cid["/"] as string
      const parts = [{ body: node.replaceAll("LEAF", leaf) }]
      const cid = linesOf((await ask("dag/put?store-codec=dag-pb", { parts })).body)[0].Cid["/"] as string
      return see(path.replace("NODE", cid), path.startsWith("/") ? { method: "GET" } : {})
    }
  }))
)

/** The CID of a raw block in every base, as `ipfs cid format` writes it. */
const IN_BASES: Readonly<Record<string, string>> = {
  base2:
    "0000000010101010100010010001000000011001011101101100111001011100111101101101101010110111111000101110001001111101001010110000100010100010111010010101000100111001110100100111011011000000100110011011101011101000001010010011011010100110000010010110101011011011011111100001011011101010010101000",
  base16: "f0155122032ed9cb9edb56fc5c4fa561145d2a273a4ed813375d0526d4c12d5b6fc2dd4a8",
  base16upper: "F0155122032ED9CB9EDB56FC5C4FA561145D2A273A4ED813375D0526D4C12D5B6FC2DD4A8",
  base32: "bafkreibs5wolt3nvn7c4j6swcfc5fittutwycm3v2bjg2tas2w3pylouva",
  base32upper: "BAFKREIBS5WOLT3NVN7C4J6SWCFC5FITTUTWYCM3V2BJG2TAS2W3PYLOUVA",
  base32pad: "cafkreibs5wolt3nvn7c4j6swcfc5fittutwycm3v2bjg2tas2w3pylouva======",
  base32hex: "v05ah481itmebjrdldv2s9uim252t58jjkjmo2crlq196qj0iqmrfobekl0",
  base32hexpadupper: "T05AH481ITMEBJRDLDV2S9UIM252T58JJKJMO2CRLQ196QJ0IQMRFOBEKL0======",
  base36: "k2cwue9x3lr97lbyv56nipww4lag9n2xpv6hk6vnylqejhnvhnoscv54",
  base36upper: "K2CWUE9X3LR97LBYV56NIPWW4LAG9N2XPV6HK6VNYLQEJHNVHNOSCV54",
  base58btc: "zb2rha55ivPYyFhCi1fWdocoGLor8duahZt8MWSDVjmS3jUM5",
  base58flickr: "ZA2RGz55HVoxYfGcH1EvCNBNgkNR8CUzGyT8mvrduJLr3Jtm5",
  base64: "mAVUSIDLtnLnttW/FxPpWEUXSonOk7YEzddBSbUwS1bb8LdSo",
  base64url: "uAVUSIDLtnLnttW_FxPpWEUXSonOk7YEzddBSbUwS1bb8LdSo",
  base64pad: "MAVUSIDLtnLnttW/FxPpWEUXSonOk7YEzddBSbUwS1bb8LdSo",
  base64urlpad: "UAVUSIDLtnLnttW_FxPpWEUXSonOk7YEzddBSbUwS1bb8LdSo",
  base256emoji: "🚀🪐👀💻😅😔🥀🍻🍺🥀💨😓💸💎🍎😪☀🙂🤠🧡🌈⚡🥀🌺😎🤘👎❣🌷💯💻🔵🤬👼😉📌✊",
  "base32 in both cases": "bAFKREIBS5WOLT3NVN7C4J6SWCFC5FITTUTWYCM3V2BJG2TAS2W3PYLOUVA",
  "base10, which Kubo does not read": "9123456789"
}

/** The same block, named by its CID in every base. */
const bases: ReadonlyArray<Row> = Object.entries(IN_BASES).flatMap(([base, text]) =>
  ["block/stat", "dag/resolve", "cat", "pin/ls"].map((command) => ({
    name: `${command} of a CID in ${base}`,
    run: async ({ ask, see }: Given) => {
      await ask("block/put", { parts: [{ body: "kubo/bases" }] })
      return see(`${command}?arg=${encodeURIComponent(text)}`)
    }
  }))
)

/** Rows that import a CAR. The node itself made the CAR; most rows change it first. */
const cars: ReadonlyArray<Row> = Object.entries<(car: Buffer) => Uint8Array>({
  "as it is": (car) => car,
  "without its last block's end": (car) => car.subarray(0, -1),
  "with a wrong byte": (car) => Buffer.concat([car.subarray(0, -1), Uint8Array.of(car.at(-1)! ^ 1)]),
  "with something behind": (car) => Buffer.concat([car, Uint8Array.of(9)]),
  "of its head alone": (car) => car.subarray(0, 1 + car[0]!),
  "of nothing": () => new Uint8Array(),
  "that is none": () => utf8("nonsense")
}).flatMap(([what, change]) =>
  [
    "",
    "pin-roots=false",
    "silent=true",
    "stats=true",
    "stats=true&pin-roots=false",
    "local-only=true",
    "local-only=true&pin-roots=false"
  ].map((options) => ({
    name: `dag/import a CAR ${what}: ${options || "no option"}`,
    run: async ({ ask, see }: Given) => {
      const parts = [{ body: `kubo/car/${what}/${options}`, name: "d/f" }]
      const root = linesOf((await ask("add?pin=false&raw-leaves=true", { parts })).body).at(-1).Hash as string
      const { body } = await ask(`dag/export?arg=${root}`)
      const seen = await see(`dag/import?${options}`, { parts: [{ body: change(body) }] })
      return { seen, pin: await see(`pin/ls?arg=${root}&type=recursive`) }
    }
  }))
)

export const rows: ReadonlyArray<Row> = [...puts, ...blocks, ...into, ...through, ...bases, ...cars]
