/**
 * Figures over time as areas or lines, each named at its right end, with a table of the same figures.
 *
 * uPlot draws the canvas, which stays fast with many points. Names, times and values are text in the page.
 */
import "uplot/dist/uPlot.min.css"
import "./charts.css"
import { useEffect, useLayoutEffect, useRef, useState } from "react"
import UPlot from "uplot"

import * as Theme from "../look/Theme.ts"
import { useAtom } from "../look/useAtom.ts"
import { type ChartLine, REST, spread, stacked } from "./stackedLines.ts"
import { VirtualTable } from "./VirtualTable.tsx"

/** The properties of the chart. */
export interface SeriesProps {
  /** A sentence for readers that see no picture. */
  readonly label: string
  /** The beginnings of the buckets, in seconds since 1970 UTC. */
  readonly times: ReadonlyArray<number>
  readonly lines: ReadonlyArray<ChartLine>
  /** True if the lines are stacked, so that they add up. */
  readonly isStacked: boolean
  readonly format: (value: number) => string
}

/** The label of a line: its position, and the line's value under the pointer. */
interface Tag {
  readonly name: string
  readonly top: number
  readonly value: number | null
}

/** The chart, or its table. */
export const Series = (props: SeriesProps) => {
  const [isTable, setTable] = useState(false)
  return (
    <div className="series">
      {isTable ? <Table {...props} /> : <Picture {...props} />}
      <p className="series-foot">
        <button type="button" className="plain small" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
          {isTable ? "Show as chart" : "Show as table"}
        </button>
        {isTable ? null : <span className="small quiet">Drag to enlarge a part; double-click to see all. UTC.</span>}
      </p>
    </div>
  )
}

const Picture = ({ format, isStacked, label, lines, times }: SeriesProps) => {
  const theme = useAtom(Theme.theme)
  const box = useRef<HTMLDivElement>(null)
  const plot = useRef<UPlot | undefined>(undefined)
  const shown = useRef({ format, lines, isStacked })
  shown.current = { format, lines, isStacked }
  const [tags, setTags] = useState<{
    readonly left: number
    readonly at: number | null
    readonly all: ReadonlyArray<Tag>
  }>({
    left: 0,
    at: null,
    all: []
  })
  const names = lines.map(({ name }) => name).join("\n")
  // new names need a new canvas; new figures for the same names only move the lines
  useLayoutEffect(() => {
    const element = box.current!
    const tell = (u: UPlot): void => setTags(tagsOf(u, shown.current.lines, shown.current.isStacked))
    const u = new UPlot(
      optionsOf({ element, names: names.split("\n"), isStacked, format: (value) => shown.current.format(value), tell }),
      dataOf(times, shown.current.lines, isStacked),
      element
    )
    plot.current = u
    tell(u)
    const resized = new ResizeObserver(() => u.setSize(sizeOf(element)))
    resized.observe(element)
    return () => {
      resized.disconnect()
      u.destroy()
      plot.current = undefined
    }
    // the effect below sets the figures
    // oxlint-disable-next-line react/exhaustive-deps
  }, [names, isStacked, theme])
  useEffect(() => plot.current?.setData(dataOf(times, lines, isStacked)), [times, lines, isStacked])
  const { all, at, left } = tags
  return (
    <figure className="picture" aria-label={label}>
      <div className="canvas" ref={box} />
      <ul className="tags" aria-hidden="true" style={{ left }}>
        {all.map(({ name, top, value }, i) => (
          <li key={name} className={`c${colourOf(i, name)}`} style={{ top }} title={name}>
            <span>{name}</span> {at === null || value === null ? null : <b>{format(value)}</b>}
          </li>
        ))}
      </ul>
      <p className="moment small" aria-hidden="true">
        {at === null ? null : moment(at)}
      </p>
    </figure>
  )
}

/** Returns the number of a line's colour: one of five hues, or grey for the line that sums up all other values. */
const colourOf = (at: number, name: string): number => (name === REST ? 0 : (at % 5) + 1)

const sizeOf = (element: HTMLElement) => ({ width: element.clientWidth, height: element.clientHeight })

const moment = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 16).replace("T", " ")

/**
 * Returns the column of a line in the canvas's data. A stack is drawn from its top, so that a line with values near zero
 * does not cover the larger one below it.
 */
const columnOf = (line: number, amount: number, isStacked: boolean): number => (isStacked ? amount - line : line + 1)

const dataOf = (
  times: ReadonlyArray<number>,
  lines: ReadonlyArray<ChartLine>,
  isStacked: boolean
): UPlot.AlignedData => [
  times as Array<number>,
  ...(isStacked ? stacked(lines).toReversed() : lines.map(({ values }) => values as Array<number | null>))
]

const tagsOf = (u: UPlot, lines: ReadonlyArray<ChartLine>, isStacked: boolean) => {
  const at = u.cursor.idx ?? null
  const last = u.series[0]?.idxs?.[1] ?? u.data[0].length - 1
  const { left, width } = u.over.getBoundingClientRect()
  const from = u.bbox.top / UPlot.pxRatio
  const to = from + u.bbox.height / UPlot.pxRatio
  const wished = lines.map((_, i) => {
    const column = u.data[columnOf(i, lines.length, isStacked)]!
    let end = last
    while (end > 0 && column[end] == null) end--
    return u.valToPos(column[end] ?? 0, "y") + from - 8
  })
  const heights = spread(wished, 17, from - 6, to - 10)
  return {
    left: left - u.root.getBoundingClientRect().left + width + 8,
    at: at === null ? null : u.data[0][at]!,
    all: lines.map(({ name, values }, i) => ({
      name,
      top: heights[i]!,
      value: at === null ? null : (values[at] ?? null)
    }))
  }
}

const optionsOf = ({
  element,
  format,
  isStacked,
  names,
  tell
}: {
  readonly element: HTMLElement
  readonly format: (value: number) => string
  readonly isStacked: boolean
  readonly names: ReadonlyArray<string>
  readonly tell: (u: UPlot) => void
}): UPlot.Options => {
  const style = getComputedStyle(document.documentElement)
  const colour = (name: string): string => style.getPropertyValue(name).trim()
  const isNarrow = element.clientWidth < 500
  const longest = Math.max(...names.map((name) => Math.min(name.length, 22)))
  const axis: UPlot.Axis = {
    stroke: colour("--ink-3"),
    font: `12px ${colour("--sans")}`,
    grid: { stroke: colour("--rule"), width: 1 },
    ticks: { show: false }
  }
  const hue = (i: number): string => colour(`--f${colourOf(i, names[i]!)}`)
  return {
    ...sizeOf(element),
    padding: [12, Math.min(isNarrow ? 104 : 190, 30 + longest * 7), 0, 0],
    legend: { show: false },
    tzDate: (seconds) => UPlot.tzDate(new Date(seconds * 1000), "Etc/UTC"),
    cursor: { points: { size: 6 }, drag: { x: true, y: false } },
    scales: { x: { time: true }, y: { range: (_, __, max) => [0, max > 0 ? max * 1.06 : 1] } },
    axes: [
      { ...axis, size: 30, gap: 8, grid: { show: false }, space: 70, values: (u, splits) => clocks(u, splits) },
      { ...axis, size: isNarrow ? 46 : 62, incrs: STEPS, values: (_, splits) => splits.map(format) }
    ],
    series: [
      {},
      ...(isStacked ? names.map((_, i) => i).toReversed() : names.map((_, i) => i)).map((i) => ({
        stroke: hue(i),
        width: 1.8,
        points: { show: false },
        ...(isStacked && i === 0 ? { fill: `${hue(0)}29` } : {})
      }))
    ],
    bands: isStacked
      ? names.slice(1).map((_, i) => ({
          series: [columnOf(i + 1, names.length, true), columnOf(i, names.length, true)],
          fill: `${hue(i + 1)}29`
        }))
      : [],
    hooks: { setCursor: [tell], setScale: [tell], setData: [tell], setSize: [tell] }
  }
}

/** The steps of the axis of values: 1, 2 and 5 and their tenfolds, so that a label needs no further decimal. */
const STEPS = Array.from({ length: 45 }, (_, i) => Number(`${[1, 2, 5][i % 3]}e${Math.floor(i / 3) - 3}`))

/** Returns the labels of the time axis: times of day, or dates if the axis covers a longer time. */
const clocks = (u: UPlot, splits: ReadonlyArray<number>): Array<string> => {
  const isLong = (u.scales["x"]?.max ?? 0) - (u.scales["x"]?.min ?? 0) > 2 * 86_400
  return splits.map((seconds) => (isLong ? moment(seconds).slice(5, 10) : moment(seconds).slice(11)))
}

const Table = ({ format, label, lines, times }: SeriesProps) => (
  <VirtualTable
    label={label}
    total={times.length}
    head={["Time (UTC)", ...lines.map(({ name }) => name)]}
    row={(i) => {
      // the newest first
      const at = times.length - 1 - i
      return [
        moment(times[at]!),
        ...lines.map(({ values }) => {
          const value = values[at]
          return value === null || value === undefined ? "–" : format(value)
        })
      ]
    }}
  />
)
