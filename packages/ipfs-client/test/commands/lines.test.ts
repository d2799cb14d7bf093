/** Lines of an answer that have one of two forms: errors name the member that is wrong in the form that the line has. */
import { assert, it } from "@effect/vitest"
import { Result, Schema, SchemaIssue, SchemaParser } from "effect"

import { dagImport } from "../../src/commands/ipfsDagCommands.ts"
import { add } from "../../src/commands/ipfsFileCommands.ts"
import { pinAdd, pinLs } from "../../src/commands/ipfsPinCommands.ts"

const format = SchemaIssue.makeFormatterStandardSchemaV1()
const CID = "QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o"

const commands = { add, dagImport, pinAdd, pinLs }

/** Honest lines of each form, and the wrong member with a path for each. */
const lines: ReadonlyArray<
  readonly [command: keyof typeof commands, line: object, wrong: object, path: ReadonlyArray<string>]
> = [
  ["add", { Name: "a", Hash: CID, Size: "7" }, { Size: "x" }, ["Size"]],
  ["add", { Name: "a", Bytes: 7 }, { Bytes: -1 }, ["Bytes"]],
  ["pinAdd", { Pins: [CID] }, { Pins: ["x"] }, ["Pins", "0"]],
  ["pinAdd", { Progress: 7, Bytes: 9 }, { Bytes: "x" }, ["Bytes"]],
  ["pinLs", { Cid: CID, Type: "recursive" }, { Type: "odd" }, ["Type"]],
  ["pinLs", { Keys: { [CID]: { Type: "direct" } } }, { Keys: { [CID]: { Type: "odd" } } }, ["Keys", CID, "Type"]],
  [
    "dagImport",
    { Root: { Cid: { "/": CID }, PinErrorMsg: "" } },
    { Root: { Cid: { "/": CID }, PinErrorMsg: 5 } },
    ["Root", "PinErrorMsg"]
  ],
  [
    "dagImport",
    { Stats: { BlockCount: 1, BlockBytesCount: 2 } },
    { Stats: { BlockCount: 1, BlockBytesCount: null } },
    ["Stats", "BlockBytesCount"]
  ]
]

it("lines of two forms are read and written, and their faults are those of their form", () => {
  for (const [name, line, wrong, path] of lines) {
    const { schema } = commands[name].answer as unknown as { readonly schema: Schema.Codec<unknown, unknown> }
    const read = Schema.decodeUnknownSync(schema)(line)
    assert.deepStrictEqual(Schema.encodeSync(schema)(read), line, name)
    const result = SchemaParser.decodeUnknownResult(schema)({ ...line, ...wrong })
    assert(Result.isFailure(result), name)
    const [first] = format(result.failure).issues
    assert.deepStrictEqual(
      first?.path?.map((part) => String(typeof part === "object" ? part.key : part)),
      [...path],
      name
    )
  }
})
