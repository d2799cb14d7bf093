/** The lists of flags in the reference of the commands. */

/** The mark at the end of a list of flags, and at the beginning: it names one command, or several with commas. */
const END = "<!-- end -->"
const FLAGS = /<!-- flags: ([^>\n]+?) -->\n/gu

/** A list of flags: its commands, the heading above it, and the places of its text, from its mark to the mark of its end. */
interface FlagList {
  readonly commands: ReadonlyArray<string>
  readonly heading: string
  readonly from: number
  readonly to: number
}

/** Finds the lists of a page. Throws if the end of one is missing, because the text up to the next end would be lost. */
const listsIn = (text: string): ReadonlyArray<FlagList> => {
  const begins = [...text.matchAll(FLAGS)]
  if (text.split(END).length !== begins.length + 1) throw new Error(`the lists of flags need one ${END} each`)
  return begins.map(({ 0: mark, 1: names, index }, at) => {
    const from = index + mark.length
    const to = text.indexOf(END, from)
    if (to < 0 || to > (begins[at + 1]?.index ?? text.length)) {
      throw new Error(`the list of flags of ${names} has no ${END}`)
    }
    const heading = [...text.slice(0, index).matchAll(/^#+ (.+)$/gmu)].at(-1)![1]!
    return { commands: names!.split(", "), heading, from, to }
  })
}

/** Returns the link to a heading of the page, as GitHub makes it. */
const linkTo = (heading: string): string =>
  `[${heading}](#${heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/gu, "")
    .replaceAll(" ", "-")})`

const namesOf = (flags: ReadonlyArray<string>): string =>
  flags.map((flag) => `\`${/--[\w-]+/u.exec(flag)![0]}\``).join(", ")

/** The flags of a command that stand below another heading, and all flags below it. */
interface Elsewhere {
  readonly heading: string
  readonly flags: ReadonlyArray<string>
  readonly all: ReadonlyArray<string>
}

/**
 * Returns the lines that say where the other flags of a command are: one for all headings of which it has each flag, and
 * one for each other heading, which names the flags that it has or those that it lacks, whichever are fewer.
 */
const linkLines = (elsewhere: ReadonlyArray<Elsewhere>): ReadonlyArray<string> => {
  const isWhole = ({ all, flags }: Elsewhere) => all.length > 1 && all.length === flags.length
  const whole = elsewhere.filter(isWhole)
  return [
    ...(whole.length === 0 ? [] : [`- All of ${whole.map(({ heading }) => linkTo(heading)).join(", ")}`]),
    ...elsewhere
      .filter((part) => !isWhole(part))
      .map(({ all, flags, heading }) => {
        const missing = all.filter((flag) => !flags.includes(flag))
        return missing.length < flags.length && missing.length > 0
          ? `- All of ${linkTo(heading)} without ${namesOf(missing)}`
          : `- ${namesOf(flags)}: ${linkTo(heading)}`
      })
  ]
}

/**
 * Returns the page about the commands with its lists of flags. A list of several commands has the flags that they share,
 * and each flag stands in the list of the most commands. A list of one command has its other flags, and says where the
 * shared ones are: by their names, or by the names of those that it lacks.
 */
export const rewrite = async (
  text: string,
  /** Returns the lines of the flags of a command. */
  flagsOf: (command: string) => Promise<ReadonlyArray<string>>
): Promise<string> => {
  const lists = listsIn(text)
  const lines = new Map<string, ReadonlyArray<string>>()
  for (const name of new Set(lists.flatMap(({ commands }) => commands))) {
    lines.set(name, await flagsOf(name))
  }
  const shared = new Map<string, FlagList>()
  const made = new Map<FlagList, ReadonlyArray<string>>()
  const flagsBelow = (heading: string): ReadonlyArray<string> =>
    [...shared].filter(([, list]) => list.heading === heading).map(([flag]) => flag)
  for (const list of lists.toSorted((a, b) => b.commands.length - a.commands.length)) {
    const [own, ...others] = list.commands.map((name) => lines.get(name)!)
    const flags = own!.filter((flag) => !shared.has(flag) && others.every((all) => all.includes(flag)))
    if (others.length > 0) for (const flag of flags) shared.set(flag, list)
    const elsewhere = Map.groupBy(
      others.length > 0 ? [] : own!.filter((flag) => shared.has(flag)),
      (flag) => shared.get(flag)!.heading
    )
    const links = linkLines([...elsewhere].map(([heading, flags]) => ({ heading, flags, all: flagsBelow(heading) })))
    made.set(list, [...flags, ...links])
  }
  let page = ""
  let at = 0
  for (const list of lists) {
    page += [text.slice(at, list.from), ...made.get(list)!, "", ""].join("\n")
    at = list.to
  }
  return page + text.slice(at)
}
