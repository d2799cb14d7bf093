import { assert } from "@effect/vitest"

import * as Ask from "../../src/ask.ts"
import { section } from "../support/section.ts"

section("IPFS objects", {
  "Object returned by object/get: Links (array of objects with Name string, Hash string, Size integer) and Data (string).":
    async (target) => {
      const added = Ask.lines(await Ask.ipfs(target, "add?wrap-with-directory=true", Ask.multipart("hello\n")))
      const [file, directory] = added
      const object = JSON.parse((await Ask.ipfs(target, `object/get?arg=${directory.Hash}`)).text)
      assert.deepStrictEqual(object, {
        Links: [{ Name: "f", Hash: "QmZULkCELmmk5XNfCgTnCyFgAVxBRBXyDHGGMVoLFLiXEN", Size: 14 }],
        // The UnixFS message of a directory, in base64 as in Infura's samples. The message holds only the type.
        Data: "CAE="
      })
      assert.strictEqual(file.Hash, object.Links[0].Hash)
      const text = JSON.parse((await Ask.ipfs(target, `object/get?arg=${directory.Hash}&data-encoding=text`)).text)
      assert.strictEqual(text.Data, "\u0008\u0001")
    },
  "Pin result of pin/add and pin/rm: object with Pins, an array of content identifier strings.": async (target) => {
    const content = Ask.multipart("to be pinned: ipfsObjects")
    const [{ Hash }] = Ask.lines(await Ask.ipfs(target, "add?pin=false", content)) as [any]
    assert.deepStrictEqual(JSON.parse((await Ask.ipfs(target, `pin/add?arg=${Hash}`)).text), { Pins: [Hash] })
    assert.deepStrictEqual(JSON.parse((await Ask.ipfs(target, `pin/rm?arg=${Hash}`)).text), { Pins: [Hash] })
  },
  "Response fields of add: not shown.": async (target) => {
    const [added] = Ask.lines(await Ask.ipfs(target, "add", Ask.multipart("hello\n")))
    // Kubo returns the same values. `Size` is the size of the whole DAG in bytes, as text.
    assert.deepStrictEqual(added, { Name: "f", Hash: "QmZULkCELmmk5XNfCgTnCyFgAVxBRBXyDHGGMVoLFLiXEN", Size: "14" })
  }
})
