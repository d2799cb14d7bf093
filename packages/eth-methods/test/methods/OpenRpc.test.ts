import { assert, describe, it } from "@effect/vitest"
import * as Published from "@open-rpc/meta-schema"
import { EthMethods } from "@plumbline/eth-methods"
import { type Method, OpenRpc } from "@plumbline/jsonrpc-core"
import * as Random from "@plumbline/seeded/Random"
import { Ajv } from "ajv"
import draft7 from "ajv/dist/refs/json-schema-draft-07.json" with { type: "json" }
import { Arbitrary, Effect, Schema } from "effect"

import * as Made from "../support/made.ts"

const runs = Random.runs(40)

const document = OpenRpc.document(EthMethods.group, { title: "Ethereum", version: "1" })
const methods: ReadonlyArray<Method.Any> = Object.values(EthMethods.group.methods)

/** Validates a value against the parameter or result at a place of the document. */
const ajv = new Ajv({ strict: false })
ajv.addSchema(document, "openrpc")
const at = (path: string): ((value: unknown) => boolean) => ajv.compile({ $ref: `openrpc#${path}` })

const places = methods.flatMap((method, index) => [
  ...method.params.map(({ name, schema }, position) => ({
    name: `${method.name}, ${name}`,
    schema,
    isAccepted: at(`/methods/${index}/params/${position}/schema`)
  })),
  { name: `${method.name}, its result`, schema: method.result, isAccepted: at(`/methods/${index}/result/schema`) }
])

const isAccepted = (name: string, value: unknown): boolean =>
  places.find((place) => place.name === name)!.isAccepted(value)

describe("the OpenRPC document of the methods", () => {
  it("is one by the meta schema that OpenRPC publishes", () => {
    const judge = new Ajv({ strict: false, validateFormats: false })
    for (const $id of ["https://meta.json-schema.tools", "https://meta.json-schema.tools/"]) {
      const definitions = { ...draft7.definitions, JSONSchemaObject: { properties: { $ref: { type: "string" } } } }
      judge.addMetaSchema({ ...draft7, $id, definitions })
    }
    // The package's types do not describe its only export.
    const { openrpcDocument } = Published as unknown as { readonly openrpcDocument: object }
    const isDocument = judge.compile(openrpcDocument)
    assert.isTrue(isDocument(document), JSON.stringify(isDocument.errors))
    assert.isFalse(isDocument({ ...document, methods: [{}] }))
  })

  it("names what the Schemas name, and refers to it", () => {
    const names = Object.keys(document.components.schemas)
    const text = JSON.stringify(document.methods)
    for (const name of ["Address", "Block", "Hash32", "Quantity", "AccountProof", "Uncle"]) {
      assert.include(names, name)
      assert.include(text, `{"$ref":"#/components/schemas/${name}"}`)
    }
  })

  it.effect.each(places)("accepts what the Schema gives: $name", ({ isAccepted, name, schema }) =>
    Effect.gen(function* () {
      const values = yield* Arbitrary.sampleEffect(Arbitrary.schema(schema), { count: runs, seed: name })
      const encode = Schema.encodeUnknownSync(schema)
      for (const value of values) {
        const wire: unknown = JSON.parse(JSON.stringify(encode(value)))
        assert.isTrue(isAccepted(wire), JSON.stringify(wire))
      }
    })
  )

  it.each(Made.forks)("accepts blocks as nodes write them: %s", async (fork) => {
    const block = await Made.block(fork)
    assert.isTrue(isAccepted("eth_getBlockByHash, its result", block))
    for (const transaction of Made.list(block["transactions"])) {
      assert.isTrue(isAccepted("eth_getTransactionByHash, its result", transaction))
    }
  })

  it("refuses what is none of it", async () => {
    const block = await Made.block(Made.forks.at(-1)![0])
    const hash = `0x${"ab".repeat(32)}`
    assert.isTrue(isAccepted("eth_getBlockByHash, blockHash", hash))
    for (const [name, value] of [
      ["eth_getBlockByHash, blockHash", hash.slice(0, -1)],
      ["eth_getBlockByHash, blockHash", null],
      ["eth_getBlockByHash, transactionDetails", "true"],
      ["eth_getBlockByHash, its result", { ...block, number: 1 }],
      ["eth_getBlockByHash, its result", { ...block, stateRoot: "0x12" }],
      ["eth_getBlockByNumber, block", "newest"],
      ["eth_getBlockByNumber, block", "0x01"],
      ["eth_getStorageAt, address", "0x12"],
      ["eth_getProof, storageKeys", Array.from({ length: 1025 }, () => "0x0")],
      ["eth_chainId, its result", 1]
    ] as const) {
      assert.isFalse(isAccepted(name, value), `${name}: ${JSON.stringify(value).slice(0, 80)}`)
    }
  })
})
