/** Measures the processor time of commands that run from source, until the process ends or is ready. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import * as path from "node:path"
import { createInterface } from "node:readline"
import type { Readable } from "node:stream"

import { text as blockText } from "../../inputs/blockInput.ts"
import type { Metered, Part, Row } from "../../measure/measuredRow.ts"
import { folder, owned } from "../../measure/owned.ts"
import { usedOf } from "../../measure/processes.ts"
import * as Node from "../client/startMeasuredNode.ts"

const app = path.resolve(import.meta.dirname, "../../../../../apps/plumbline/src/main.ts")
const report = new URL("./processorTime.ts", import.meta.url).href

const textOf = async (stream: Readable): Promise<string> => {
  let text = ""
  for await (const chunk of stream) text += chunk
  return text
}

/** Measures a command that ends by itself. */
const whole = (args: ReadonlyArray<string>): Metered => {
  let nanoseconds = 0
  return {
    used: () => nanoseconds,
    run: async () => {
      const child = spawn(process.execPath, ["--import", report, app, ...args], {
        stdio: ["ignore", "pipe", "inherit", "pipe"]
      })
      const [output, microseconds] = await Promise.all([child.stdout!, child.stdio[3] as Readable].map(textOf))
      if (output === "" || microseconds === "") throw new Error(`${args.join(" ")} ended without an answer`)
      nanoseconds += Number(microseconds) * 1e3
      return output
    }
  }
}

/** Measures the start of a service until it prints its URL. The time of processes that it starts is not counted. */
const untilReady = (args: (folder: string) => ReadonlyArray<string>): Metered => {
  let nanoseconds = 0
  return {
    used: () => nanoseconds,
    run: async () => {
      const home = folder("bench-start")
      const child: ChildProcess = owned(
        spawn(process.execPath, [app, ...args(home.path)], { stdio: ["ignore", "pipe", "ignore"] })
      )
      const exited = once(child, "exit")
      try {
        const [line] = (await once(createInterface(child.stdout!), "line")) as [string]
        nanoseconds += usedOf(child.pid!)
        return line
      } finally {
        child.kill("SIGTERM")
        await exited
        home.remove()
      }
    }
  }
}

export const start: Part = {
  name: "start",
  open: async () => {
    const { close, url } = await Node.start(blockText)
    const row = (name: string, ceiling: number, ours: Metered): Row => ({
      name,
      ceiling,
      waits: true,
      warmUp: 1,
      turn: 1,
      rounds: 7,
      ours,
      peers: {}
    })
    return {
      close,
      rows: [
        row("plumbline --version", 0.5e9, whole(["--version"])),
        row("plumbline block", 0.65e9, whole(["block", "latest", "--full", "--json", "--url", url])),
        row(
          "plumbline up",
          1.35e9,
          untilReady((folder) => ["up", "--json", "--port", "0", "--data", folder])
        )
      ]
    }
  }
}
