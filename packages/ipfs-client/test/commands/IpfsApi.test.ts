/**
 * Tests the table of commands: the answers that it reads from each node, the form that it writes, and its agreement
 * with Kubo.
 */
import { assert, describe, it } from "@effect/vitest"
import { type Command, IpfsApi } from "@plumbline/ipfs-client"
import { Result, Schema } from "effect"

const schemaOf = (name: IpfsApi.CommandName): Schema.Codec<any, any> => {
  const { answer } = IpfsApi.commands[name]
  assert(answer.kind !== "bytes")
  return answer.schema
}

const decode = (name: IpfsApi.CommandName, value: unknown): unknown => Schema.decodeUnknownSync(schemaOf(name))(value)

const encode = (name: IpfsApi.CommandName, value: unknown): unknown => Schema.encodeUnknownSync(schemaOf(name))(value)

const HELLO = "Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD"

interface Shape {
  readonly node: string
  readonly command: IpfsApi.CommandName
  readonly wire: unknown
  readonly means: unknown
  /** The value that Kubo writes, if it differs from the value that was read. */
  readonly written?: unknown
}

/** Answers as the nodes send them. */
const shapes: ReadonlyArray<Shape> = [
  {
    node: "Kubo",
    command: "add",
    wire: { Name: "a", Hash: HELLO, Size: "19" },
    means: { name: "a", cid: HELLO, size: 19 }
  },
  {
    node: "Kubo with preserve-mode",
    command: "add",
    wire: { Name: "a", Hash: HELLO, Size: "19", Mode: "0644", Mtime: -1, MtimeNsecs: 5 },
    means: { name: "a", cid: HELLO, size: 19, mode: 0o644, mtime: -1, mtimeNsecs: 5 }
  },
  {
    node: "js-ipfs",
    command: "add",
    wire: { Name: "a", Hash: "zb2rhZfjRh2FHHB2RkHVEvL2vJnCTcu7kwRqgVsf9gpkLgteo", Size: 20, Mode: "0644" },
    means: { name: "a", cid: "zb2rhZfjRh2FHHB2RkHVEvL2vJnCTcu7kwRqgVsf9gpkLgteo", size: 20, mode: 0o644 },
    written: { Name: "a", Hash: "zb2rhZfjRh2FHHB2RkHVEvL2vJnCTcu7kwRqgVsf9gpkLgteo", Size: "20", Mode: "0644" }
  },
  {
    node: "Kubo, of a symlink",
    command: "add",
    wire: { Name: "l", Hash: HELLO, Size: "8", Mode: "01000000777" },
    means: { name: "l", cid: HELLO, size: 8, mode: 0o777 },
    written: { Name: "l", Hash: HELLO, Size: "8", Mode: "0777" }
  },
  {
    node: "Kubo, of a directory with Go's mode",
    command: "add",
    wire: { Name: "d", Hash: HELLO, Size: "8", Mode: "020040000755" },
    means: { name: "d", cid: HELLO, size: 8, mode: 0o4755 },
    written: { Name: "d", Hash: HELLO, Size: "8", Mode: "04755" }
  },
  {
    node: "Kubo with progress",
    command: "add",
    wire: { Name: "a", Bytes: 262144 },
    means: { name: "a", bytes: 262144 }
  },
  {
    node: "Kubo with progress of an empty file",
    command: "add",
    wire: { Name: "a" },
    means: { name: "a", bytes: 0 },
    written: { Name: "a", Bytes: 0 }
  },
  {
    node: "Kubo",
    command: "block/put",
    wire: { Key: HELLO, Size: 19 },
    means: { cid: HELLO, size: 19 }
  },
  {
    node: "Kubo",
    command: "dag/put",
    wire: { Cid: { "/": HELLO } },
    means: { cid: HELLO }
  },
  {
    node: "Kubo",
    command: "dag/resolve",
    wire: { Cid: { "/": HELLO }, RemPath: "/a/b" },
    means: { cid: HELLO, remainder: "a/b" }
  },
  {
    node: "Kubo, of a path that leads to a block",
    command: "dag/resolve",
    wire: { Cid: { "/": HELLO }, RemPath: "" },
    means: { cid: HELLO, remainder: "" }
  },
  {
    node: "js-ipfs",
    command: "dag/resolve",
    wire: { Cid: { "/": HELLO }, RemPath: "a/b" },
    means: { cid: HELLO, remainder: "a/b" },
    written: { Cid: { "/": HELLO }, RemPath: "/a/b" }
  },
  {
    node: "Kubo",
    command: "dag/import",
    wire: { Root: { Cid: { "/": HELLO }, PinErrorMsg: "not there" } },
    means: { root: { cid: HELLO, pinError: "not there" } }
  },
  {
    node: "Kubo with stats",
    command: "dag/import",
    wire: { Stats: { BlockCount: 3, BlockBytesCount: 99 } },
    means: { stats: { blocks: 3, bytes: 99 } }
  },
  {
    node: "Kubo 0.30 and later",
    command: "ls",
    wire: {
      Objects: [
        {
          Hash: `/ipfs/${HELLO}`,
          Links: [{ Name: "a", Hash: HELLO, Size: 11, Type: 2, Target: "", Mode: 420, ModTime: "0001-01-01T00:00:00Z" }]
        }
      ]
    },
    means: {
      objects: [
        {
          path: `/ipfs/${HELLO}`,
          entries: [{ name: "a", cid: HELLO, size: 11, type: 2, target: "", mode: 0o644 }]
        }
      ]
    }
  },
  {
    node: "Kubo, of a directory and a file with modes and times",
    command: "ls",
    wire: {
      Objects: [
        {
          Hash: HELLO,
          Links: [
            {
              Name: "sub",
              Hash: HELLO,
              Size: 0,
              Type: 1,
              Target: "",
              Mode: 2_147_484_141,
              ModTime: "2026-11-28T15:11:34.060523461Z"
            },
            { Name: "f", Hash: HELLO, Size: 3, Type: 2, Target: "", Mode: 0, ModTime: "1969-12-31T23:59:55.00000012Z" },
            { Name: "bare", Hash: HELLO, Size: 0, Type: 1, Target: "", Mode: 0, ModTime: "0001-01-01T00:00:00Z" }
          ]
        }
      ]
    },
    means: {
      objects: [
        {
          path: HELLO,
          entries: [
            {
              name: "sub",
              cid: HELLO,
              size: 0,
              type: 1,
              target: "",
              mode: 0o755,
              mtime: 1_795_878_694,
              mtimeNsecs: 60_523_461
            },
            { name: "f", cid: HELLO, size: 3, type: 2, target: "", mtime: -5, mtimeNsecs: 120 },
            { name: "bare", cid: HELLO, size: 0, type: 1, target: "" }
          ]
        }
      ]
    }
  },
  {
    node: "js-ipfs",
    command: "ls",
    wire: {
      Objects: [{ Hash: HELLO, Links: [{ Name: "a", Hash: HELLO, Size: 11, Type: 2, Depth: 1, Mode: "0644" }] }]
    },
    means: {
      objects: [{ path: HELLO, entries: [{ name: "a", cid: HELLO, size: 11, type: 2, mode: 0o644 }] }]
    },
    written: {
      Objects: [
        {
          Hash: HELLO,
          Links: [{ Name: "a", Hash: HELLO, Size: 11, Type: 2, Mode: 420, ModTime: "0001-01-01T00:00:00Z" }]
        }
      ]
    }
  },
  {
    node: "Kubo, of an empty directory",
    command: "ls",
    wire: { Objects: [{ Hash: HELLO, Links: null }] },
    means: { objects: [{ path: HELLO, entries: [] }] },
    written: { Objects: [{ Hash: HELLO, Links: [] }] }
  },
  {
    node: "Kubo",
    command: "files/stat",
    wire: { Hash: HELLO, Size: 11, CumulativeSize: 19, Blocks: 0, Type: "file" },
    means: { cid: HELLO, size: 11, cumulativeSize: 19, blocks: 0, type: "file" }
  },
  {
    node: "Kubo with a mode",
    command: "files/stat",
    wire: { Hash: HELLO, Size: 11, CumulativeSize: 19, Blocks: 0, Type: "file", Mode: "0755", Mtime: 7 },
    means: { cid: HELLO, size: 11, cumulativeSize: 19, blocks: 0, type: "file", mode: 0o755, mtime: 7 }
  },
  ...(
    [
      ["20000000640", 0o640, "0640"],
      ["1000000777", 0o777, "0777"],
      // set-user-id, set-group-id and sticky at the positions that Go uses
      ["20040000755", 0o4755, "40000755"],
      ["20020000755", 0o2755, "20000755"],
      ["20004000777", 0o1777, "4000777"],
      // the same three bits at the positions that Unix uses
      ["07755", 0o7755, "64000755"],
      ["37777777777", 0o7777, "64000777"]
    ] as const
  ).map(([Mode, mode, written]): Shape => {
    const wire = { Hash: HELLO, Size: 0, CumulativeSize: 19, Blocks: 0, Type: "directory" }
    return {
      node: `Kubo with the mode ${Mode}`,
      command: "files/stat",
      wire: { ...wire, Mode },
      means: { cid: HELLO, size: 0, cumulativeSize: 19, blocks: 0, type: "directory", mode },
      written: { ...wire, Mode: written }
    }
  }),
  {
    node: "Infura",
    command: "object/get",
    wire: { Links: [{ Name: "a", Hash: HELLO, Size: 19 }], Data: "CAE=" },
    means: { links: [{ name: "a", cid: HELLO, size: 19 }], data: "CAE=" }
  },
  {
    node: "js-ipfs",
    command: "object/get",
    wire: { Links: [], Data: "CAE=", Hash: HELLO, Size: 2 },
    means: { links: [], data: "CAE=" },
    written: { Links: [], Data: "CAE=" }
  },
  {
    node: "Infura",
    command: "object/stat",
    wire: { Hash: HELLO, NumLinks: 0, BlockSize: 19, LinksSize: 2, DataSize: 17, CumulativeSize: 19 },
    means: { cid: HELLO, links: 0, blockSize: 19, linksSize: 2, dataSize: 17, cumulativeSize: 19 }
  },
  {
    node: "Kubo",
    command: "pin/add",
    wire: { Pins: [HELLO] },
    means: { pins: [HELLO] }
  },
  {
    node: "Kubo with progress",
    command: "pin/add",
    wire: { Progress: 7, Bytes: 100 },
    means: { blocks: 7, bytes: 100 }
  },
  {
    node: "Kubo with stream and names",
    command: "pin/ls",
    wire: { Cid: HELLO, Name: "n", Type: "recursive" },
    means: { cid: HELLO, type: "recursive", name: "n" }
  },
  {
    node: "Kubo, of an indirect pin",
    command: "pin/ls",
    wire: { Cid: HELLO, Type: `indirect through ${HELLO}` },
    means: { cid: HELLO, type: `indirect through ${HELLO}` }
  },
  {
    node: "Infura, without stream",
    command: "pin/ls",
    wire: { Keys: { [HELLO]: { Type: "recursive", Name: "" } } },
    means: { pins: [{ cid: HELLO, type: "recursive", name: "" }] }
  },
  {
    node: "Kubo without stream and without pins",
    command: "pin/ls",
    wire: {},
    means: {}
  },
  {
    node: "js-ipfs with stream",
    command: "pin/ls",
    wire: { Cid: HELLO, Type: "direct", Metadata: null },
    means: { cid: HELLO, type: "direct" },
    written: { Cid: HELLO, Type: "direct" }
  },
  {
    node: "Kubo",
    command: "version",
    wire: { Version: "0.43.1", Commit: "0e8", Repo: "18", System: "amd64/linux", Golang: "go1.26" },
    means: { version: "0.43.1", commit: "0e8", repo: "18", system: "amd64/linux", golang: "go1.26" }
  },
  {
    node: "Kubo without addresses",
    command: "id",
    wire: { ID: "12D3", PublicKey: "CAES", Addresses: null, AgentVersion: "kubo/0.43.1/", Protocols: ["/x"] },
    means: { id: "12D3", publicKey: "CAES", addresses: [], agentVersion: "kubo/0.43.1/", protocols: ["/x"] },
    written: { ID: "12D3", PublicKey: "CAES", Addresses: [], AgentVersion: "kubo/0.43.1/", Protocols: ["/x"] }
  }
]

describe("an answer", () => {
  for (const { command, means, node, wire, written } of shapes) {
    it(`to ${command} as ${node} sends it is read, and written as Kubo does`, () => {
      const value = decode(command, wire)
      assert.deepStrictEqual(value, means)
      assert.deepStrictEqual(encode(command, value), written ?? wire)
    })
  }

  it("of a wrong form is refused", () => {
    const wrong: ReadonlyArray<readonly [IpfsApi.CommandName, unknown]> = [
      ["add", { Name: "a", Hash: "Qmnobody", Size: "19" }],
      ["add", { Name: "a", Hash: HELLO, Size: "1e3" }],
      ["add", { Name: "a", Hash: HELLO }],
      ["add", { Name: "a", Hash: HELLO, Size: -1 }],
      ["add", { Name: "a", Hash: HELLO, Size: "19", Mode: "0999" }],
      ["add", { Name: "a", Hash: HELLO, Size: "19", Mode: "040000000000" }],
      ["add", { Name: "a", Hash: HELLO, Size: "19", Mode: "0000000000644" }],
      ["files/stat", { Hash: HELLO, Size: 1, CumulativeSize: 1, Blocks: 0, Type: "file", Mode: 2 ** 32 }],
      ["add", { Name: "a", Bytes: -1 }],
      ["add", { Name: "a", Hash: HELLO, Size: "19", MtimeNsecs: 1e9 }],
      ["dag/import", { Root: { Cid: { "/": HELLO }, PinErrorMsg: "" }, Stats: { BlockCount: 1, BlockBytesCount: 1 } }],
      ["dag/put", { Cid: HELLO }],
      ["ls", { Objects: [{ Hash: HELLO, Links: [{ Name: "a", Hash: HELLO, Size: 1, Type: 9 }] }] }],
      ["pin/add", { Pins: ["nobody"] }],
      ["pin/ls", { Cid: "nobody", Type: "recursive" }],
      ["pin/ls", { Cid: HELLO, Type: "for ever" }],
      ["pin/ls", { Keys: { nobody: { Type: "recursive" } } }],
      ["block/stat", [HELLO, 1]]
    ]
    for (const [command, value] of wrong) {
      assert.isTrue(Result.isFailure(Schema.decodeUnknownResult(schemaOf(command))(value)), JSON.stringify(value))
    }
  })
})

describe("the table", () => {
  const all: ReadonlyArray<Command.AnyCommand> = Object.values(IpfsApi.commands)

  it("has the commands that Infura and Kubo document", () => {
    const documented = [
      ["add", "block/get", "block/put", "block/stat", "cat", "dag/get", "dag/import", "dag/put", "dag/resolve", "get"],
      ["pin/add", "pin/ls", "pin/rm", "pin/update", "version"],
      ["object/data", "object/get", "object/put", "object/stat"],
      ["dag/export", "files/stat", "id", "ls"],
      ["block/rm", "dag/stat", "pin/verify", "refs", "refs/local", "repo/stat", "resolve"],
      ["cid/base32", "cid/bases", "cid/codecs", "cid/format", "cid/hashes", "cid/inspect"]
    ].flat()
    assert.sameMembers(Object.keys(IpfsApi.commands), documented)
    for (const name of documented) {
      assert.strictEqual(IpfsApi.find(name)?.name, name)
    }
    assert.isUndefined(IpfsApi.find("__proto__"))
    assert.isUndefined(IpfsApi.find("constructor"))
    assert.isUndefined(IpfsApi.find("repo/gc"))
  })

  it("has what every command takes in every command", () => {
    for (const command of all) {
      for (const name of Object.keys(IpfsApi.globals)) {
        assert.property(command.options, name, command.name)
      }
    }
  })

  it("has no alias twice, none that is a name, and arguments of which only the last may be many", () => {
    for (const command of all) {
      const aliases = Object.values(command.options).flatMap(({ alias }) => alias ?? [])
      const names = [...Object.keys(command.options), ...aliases]
      assert.lengthOf(new Set(names), names.length, command.name)
      assert.isFalse(
        command.args.slice(0, -1).some(({ required, variadic }) => variadic || !required),
        command.name
      )
    }
  })

  it("takes for unsafe to repeat what fails the second time", () => {
    const unsafe = all.filter(({ idempotent }) => !idempotent).map(({ name }) => name)
    assert.deepStrictEqual(unsafe, ["block/rm", "pin/rm", "pin/update"])
  })

  it("can prove what a CID names, and not what a node says of itself", () => {
    const claimed = all.filter(({ verification }) => verification === "claimed").map(({ name }) => name)
    assert.sameMembers(claimed, [
      "pin/add",
      "pin/ls",
      "pin/rm",
      "pin/update",
      "version",
      "id",
      "block/rm",
      "pin/verify",
      "refs/local",
      "repo/stat"
    ])
  })
})
