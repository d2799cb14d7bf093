import { readFileSync } from "node:fs"

import { assert, it } from "@effect/vitest"

import * as Files from "../../scripts/history/files.ts"
import { story } from "../../scripts/history/historyStory.ts"
import { play } from "../../scripts/history/play.ts"
import { recordFile } from "../../src/history/chainRecord.ts"
import { History } from "../../src/index.ts"
import "../support/shared.ts"

it("the sources still make the committed history, to the byte", async () => {
  const told = story()
  const chain = await play(told)
  assert.deepStrictEqual({ ...Files.index(chain, told) }, JSON.parse(readFileSync(recordFile, "utf8")))
  assert.isTrue(readFileSync(History.archiveFile).equals(Files.archive(chain)), "history/archive.rlp is another")
})
