/** The block at which variables are read, and the earlier block with which they are compared. */
import * as Option from "effect/Option"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import { type CSSProperties, useEffect, useState } from "react"

import { count, grouped } from "../look/TextFormats.ts"
import { useAtom } from "../look/useAtom.ts"
import type * as ConsoleRoute from "../route/ConsoleRoute.ts"
import * as Router from "../route/Router.ts"
import * as VariableValues from "./VariableValues.ts"

/** The time for which a slider must stand still before its block is read, in milliseconds. */
const REST = 250

/** The bar. */
export const BlockBar = ({
  before,
  changes,
  isOnlyChanged,
  number,
  onOnlyChanged,
  place,
  problem
}: {
  readonly place: ConsoleRoute.StorageRoute
  readonly number: bigint
  /** The number of the earlier block, once that block is read. */
  readonly before: bigint | undefined
  readonly changes: number | undefined
  readonly problem: string | undefined
  readonly isOnlyChanged: boolean
  readonly onOnlyChanged: (isOnly: boolean) => void
}) => {
  const newest = Option.getOrElse(AsyncResult.value(useAtom(VariableValues.head(place.network))), () => number)
  const head = newest < number ? number : newest
  const isComparing = place.from !== undefined
  const old = before ?? (place.from !== undefined && /^\d+$/u.test(place.from) ? BigInt(place.from) : number)
  return (
    <section className="sheet block-bar" aria-label="Block">
      <div className="block-bar-sliders">
        {isComparing ? (
          <Slider
            key={`from ${old}`}
            label="From block"
            value={old}
            head={head}
            onValue={(from) => Router.go({ ...place, from: String(from) }, { replace: true })}
          />
        ) : null}
        <Slider
          key={`to ${number}`}
          label={isComparing ? "To block" : "Block"}
          value={number}
          head={head}
          onValue={(block) => Router.go({ ...place, block: String(block) }, { replace: true })}
        />
      </div>
      <p className="row wrap block-bar-more">
        {isComparing ? (
          <>
            <span role="status">
              {problem ??
                (changes === undefined
                  ? "Reading the earlier block"
                  : changes === 0
                    ? "No listed variable changed"
                    : `${count(changes, "value")} changed`)}
            </span>
            <label className="row block-check">
              <input type="checkbox" checked={isOnlyChanged} onChange={({ target }) => onOnlyChanged(target.checked)} />
              Only what changed
            </label>
            <button
              type="button"
              className="plain"
              onClick={() => Router.go({ ...place, from: undefined }, { replace: true })}
            >
              Stop comparing
            </button>
          </>
        ) : (
          <button
            type="button"
            className="button"
            onClick={() => Router.go({ ...place, from: String(number > 8n ? number - 8n : 0n) }, { replace: true })}
          >
            Compare with an earlier block
          </button>
        )}
      </p>
    </section>
  )
}

/** A slider over the blocks that the network has. */
const Slider = ({
  head,
  label,
  onValue,
  value
}: {
  readonly label: string
  readonly value: bigint
  readonly head: bigint
  readonly onValue: (value: bigint) => void
}) => {
  const [shown, setShown] = useState(Number(value))
  useEffect(() => {
    if (BigInt(shown) === value) return undefined
    const timer = setTimeout(() => onValue(BigInt(shown)), REST)
    return () => clearTimeout(timer)
    // only a slider that the reader moves starts the wait
    // oxlint-disable-next-line react/exhaustive-deps
  }, [shown])
  const most = Number(head)
  const at = most === 0 ? 0 : shown / most
  return (
    <label className="slider" style={{ "--at": at } as CSSProperties}>
      <span className="soft">{label}</span>
      <input
        type="range"
        min={0}
        max={most}
        value={shown}
        aria-valuetext={`block ${grouped(shown)} of ${grouped(most)}`}
        onChange={({ target }) => setShown(Number(target.value))}
      />
      <input
        type="number"
        className="field mono"
        aria-label={`${label}, as a number`}
        min={0}
        max={most}
        value={shown}
        onChange={({ target }) => {
          const number = Number(target.value)
          if (Number.isInteger(number) && number >= 0 && number <= most) setShown(number)
        }}
      />
    </label>
  )
}
