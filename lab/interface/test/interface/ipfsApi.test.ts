import { assert } from "@effect/vitest"
import { create } from "kubo-rpc-client"

import * as Ask from "../../src/ask.ts"
import { authorization, baseUrl, type Target } from "../../src/target.ts"
import { section } from "../support/section.ts"

const HELLO = "QmZULkCELmmk5XNfCgTnCyFgAVxBRBXyDHGGMVoLFLiXEN"

const added = async (target: Target, content: string, query = ""): Promise<string> =>
  Ask.lines(await Ask.ipfs(target, `add${query}`, Ask.multipart(content)))[0].Hash

section("IPFS HTTP API", {
  "Requests: POST {ipfs_url}/api/v0/<command path>, for example commands named add, cat, object/get, pin/add and pin/rm.":
    async (target) => {
      assert.strictEqual(await added(target, "hello\n"), HELLO)
      for (const command of ["cat", "object/get", "pin/add", "pin/rm"]) {
        assert.strictEqual((await Ask.ipfs(target, `${command}?arg=${HELLO}`)).status, 200, command)
      }
      assert.strictEqual((await Ask.ipfs(target, `cat?arg=${HELLO}`, { method: "GET" })).status, 405)
    },
  "Arguments go in the query string under the key arg; arg can be repeated for several arguments.": async (target) => {
    const [first, second] = [await added(target, "one, "), await added(target, "two")]
    assert.strictEqual((await Ask.ipfs(target, `cat?arg=${first}&arg=${second}`)).text, "one, two")
    const pins = JSON.parse((await Ask.ipfs(target, `pin/add?arg=${first}&arg=${second}`)).text)
    assert.deepStrictEqual(pins.Pins.toSorted(), [first, second].toSorted())
  },
  "Flags of the command-line tool go in the query string as parameters (a flag --encoding=json is the parameter encoding=json).":
    async (target) => {
      const cid = await added(target, "hello\n", "?cid-version=1&encoding=json")
      assert.strictEqual(cid, "bafkreicysg23kiwv34eg2d7qweipxwosdo2py4ldv42nbauguluen5v6am")
      assert.strictEqual((await Ask.ipfs(target, `cat?arg=${HELLO}&offset=1&length=3`)).text, "ell")
      assert.strictEqual((await Ask.ipfs(target, `cat?arg=${HELLO}&offset=one`)).status, 400)
    },
  "Some listed arguments belong only to client-side input processing, notably for add.": async (target) => {
    // The client reads folders and sends their files as parts, so the flag has no effect here.
    assert.strictEqual(await added(target, "hello\n", "?recursive=true"), HELLO)
  },
  "add: the file is sent as multipart form data in a form field named file.": async (target) => {
    assert.strictEqual(await added(target, "hello\n"), HELLO)
    const bare = await Ask.ipfs(target, "add", { body: "hello\n", headers: { "content-type": "text/plain" } })
    assert.strictEqual(bare.status, 400)
  },
  "Responses with several objects use newline-delimited JSON (NDJSON), one JSON object per line; clients must handle the newline separators.":
    async (target) => {
      const answer = await Ask.ipfs(target, "add?wrap-with-directory=true", Ask.multipart("hello\n"))
      assert.match(answer.text, /^\{[^\n]*\}\n\{[^\n]*\}\n$/u)
      assert.strictEqual(Ask.lines(answer)[0].Hash, HELLO)
      const headers = { authorization: authorization(target.projects.open) }
      const kubo = create({ url: `${baseUrl(target)}/api/v0`, headers })
      const entries: Array<string> = []
      const files = [
        { path: "a/one", content: "1" },
        { path: "a/two", content: "2" }
      ]
      for await (const { path } of kubo.addAll(files)) entries.push(path)
      assert.deepStrictEqual(entries, ["a/one", "a/two", "a"])
    }
})
