/** A disk that becomes full, and then has room again. */
import { execFileSync } from "node:child_process"
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { setTimeout } from "node:timers/promises"

import { Effect } from "effect"

import { temporaryFolder } from "../../service.ts"
import * as Load from "../checkedLoad.ts"
import * as Judged from "../judged.ts"
import * as Node from "../moodyNode.ts"
import * as Service from "../operatedService.ts"
import type { Scenario } from "../scenario.ts"

/** Size of the disk in megabytes. */
const SIZE = 64

/** Mounts a file system in memory. */
const mount = (folder: string): void => {
  mkdirSync(folder, { recursive: true })
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${SIZE}m`, "tmpfs", folder], { stdio: "ignore" })
}

const unmount = (folder: string): void => {
  execFileSync("umount", ["-l", folder], { stdio: "ignore" })
  rmSync(folder, { recursive: true, force: true })
}

/** The reason why the scenario cannot run here; undefined if a file system can be mounted. */
const skipped = ((): string | undefined => {
  const folder = mkdtempSync(path.join(tmpdir(), "plumbline-disk-"))
  try {
    mount(folder)
    unmount(folder)
    return undefined
  } catch {
    rmSync(folder, { recursive: true, force: true })
    return "skipped: no file system can be mounted here (needs root)"
  }
})()

/** Writes until there is no room. */
const fill = (file: string): void => {
  const opened = openSync(file, "a")
  try {
    // When a piece no longer fits, smaller pieces fill the rest, down to single bytes.
    for (const size of [2 ** 20, 2 ** 12, 1]) {
      try {
        for (;;) writeSync(opened, Buffer.alloc(size, 1))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error
      }
    }
  } finally {
    closeSync(opened)
  }
}

/** Runs the check every 50 milliseconds for the given number of seconds. Returns false if it fails once. */
const holdsFor = async (seconds: number, check: () => Promise<boolean>): Promise<boolean> => {
  for (const end = performance.now() + seconds * 1000; performance.now() < end; await setTimeout(50)) {
    if (!(await check())) return false
  }
  return true
}

export const disk: Scenario = {
  name: "disk",
  about:
    "The disk of the data folder is full. Calls whose usage cannot be written are refused with 503, and answered again when there is space.",
  skipped,
  run: Effect.fnUntraced(function* ({ clients, seconds }) {
    const folder = yield* temporaryFolder
    const data = path.join(folder, "disk")
    yield* Effect.acquireRelease(
      Effect.sync(() => mount(data)),
      () => Effect.sync(() => unmount(data))
    )
    const node = yield* Node.start()
    const configuration = { ...Node.networks([node]), metering: { timeout: "1s" } }
    const service = yield* Service.start(folder, configuration, { data })
    return yield* Effect.promise(async () => {
      const questions = await Node.questions()
      const refusals = /^503 service unavailable$|^WebSocket -32002 service unavailable$/u
      const load = await Load.start(service, { questions, clients, refusals })
      const wait = () => setTimeout(seconds * 1000)
      const isDown = async () => (await service.metric("plumbline_metering_up")) === 0
      await wait()
      const rest = path.join(data, "rest")
      fill(rest)
      // The database's log file still has room for a while, until the database starts to overwrite it.
      const saw = await Judged.within(30, () => {
        fill(rest)
        return [...service.log.keys()].some((message) => message.startsWith("usage cannot be recorded"))
      })
      const shown = await Judged.within(30, isDown)
      const stays = await holdsFor(seconds, isDown)
      const refused = load.refused() > 0
      rmSync(rest)
      const before = load.right()
      const recovered = await Judged.within(30, () => load.right() > before + 10)
      await wait()
      return Judged.finding(await load.stop(), service, {
        operator: ["`plumbline_metering_up` is always 0 while usage cannot be written"],
        promises: {
          "the metric did not show that usage cannot be written": shown,
          "the metric rose while usage could not be written": stays,
          "no call was refused with a full disk": refused,
          "the log did not say that usage cannot be recorded": saw,
          "calls were not answered again when there was room": recovered
        }
      })
    })
  })
}
