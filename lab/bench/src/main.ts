/**
 * Compares the packages with their best peers: `pnpm bench:peers`.
 *
 * One run prints one table. Each row is the median over rounds, in which the contenders have turns in random order. It
 * shows the ratio to the best peer, the goal, and the verdict. On a busy machine, the ratios are worse than they should
 * be.
 */
import { cpus, loadavg } from "node:os"
import { parseArgs } from "node:util"

import { line, heading, verdict } from "./measure/outcomeTable.ts"
import { measure } from "./measure/turns.ts"
import { names, load as loadPart } from "./parts.ts"

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    /**
     * The name of a part, or `part:text` for those rows of the part whose name contains the text. May be given more
     * than once.
     */
    only: { type: "string", multiple: true, default: [] },
    rounds: { type: "string", default: "21" },
    seed: { type: "string", default: "1" },
    /** The command that starts another gateway, and the URL to which calls are posted. */
    gateway: { type: "string" },
    "gateway-url": { type: "string" },
    /** Takes short turns, which only show that a row works. */
    short: { type: "boolean", default: false },
    list: { type: "boolean", default: false }
  }
})

const wanted = [...positionals, ...values.only].map((word) => {
  const [part, ...text] = word.split(":")
  if (!names.includes(part!)) throw new Error(`no part is called ${part}. The parts are ${names.join(", ")}.`)
  return { part: part!, text: text.join(":") }
})

const isWanted = (part: string, row: string): boolean =>
  wanted.length === 0 || wanted.some((one) => one.part === part && row.includes(one.text))

const load = (): string => `load ${loadavg()[0]!.toFixed(1)} on ${cpus().length} cores`

const notes: Array<string> = []
const verdicts = { met: 0, missed: 0, "-": 0 }
const { rounds, seed, short } = values

if (!values.list)
  console.log(
    `Node ${process.version}, ${load()}, ${rounds} rounds, seed ${seed}${short ? ", short turns: no figures" : ""}\n\n${heading}`
  )
for (const name of names) {
  if (wanted.length > 0 && !wanted.some(({ part }) => part === name)) continue
  const part = await loadPart(name, { gateway: values.gateway, gatewayUrl: values["gateway-url"] })
  const opened = await part.open()
  try {
    for (const row of opened.rows) {
      if (!isWanted(name, row.name)) continue
      if (values.list) {
        console.log(`${name}:${row.name}`)
        continue
      }
      for (const outcome of await measure(row, { rounds: Number(rounds), seed: Number(seed), isShort: short })) {
        verdicts[verdict(outcome)]++
        console.log(line(name, outcome))
      }
    }
  } finally {
    await opened.close?.()
  }
  notes.push(...(opened.notes ?? []))
}
if (!values.list) {
  for (const note of ["", ...notes]) console.log(note)
  console.log(`${verdicts.met} rows met, ${verdicts.missed} missed, ${verdicts["-"]} without a goal; ${load()}`)
}
process.exit()
