/** Shows decoded values: addresses as links, numbers with their digits grouped, structs and arrays by their parts. */
import type { AbiValue } from "@plumbline/contracts/abi/AbiText"
import type { AbiFunction, AbiParameter } from "@plumbline/contracts/abi/AbiType"
import type { ReactNode } from "react"
import { useState } from "react"

import { Digits } from "../look/Digits.tsx"
import { Hash } from "../look/Hash.tsx"
import { count, grouped, short } from "../look/TextFormats.ts"
import * as ConsoleRoute from "../route/ConsoleRoute.ts"
import * as AbiForms from "./AbiForms.ts"

/** The places to which addresses lead. */
export interface ValueLinks {
  readonly network: string
  readonly block: string
  readonly trust: string | undefined
}

/** The units of a token's amounts. */
export interface TokenUnits {
  readonly decimals: number
  readonly symbol: string
  /** True if the contract's answers that name the units are VERIFIED. */
  readonly isVerified?: boolean
}

/** Number of items of an array that are shown before the reader unfolds it. */
const FIRST = 20

/** Maximum number of characters of a text that are shown. */
const MOST = 4000

/** Names of functions whose result is an amount of the token itself. */
const AMOUNTS: ReadonlySet<string> = new Set(["totalSupply", "balanceOf", "allowance"])

/** True if a function returns an amount of a token. */
export const isAmount = ({ name, outputs }: AbiFunction): boolean =>
  AMOUNTS.has(name) && outputs.length === 1 && outputs[0]!.type === "uint256"

/** Several values, each with its name or position. A single one without a name stands alone. */
export const DecodedValues = ({
  amountAt,
  links,
  noun = "result",
  types,
  units,
  values
}: {
  readonly types: ReadonlyArray<AbiParameter>
  readonly values: ReadonlyArray<AbiValue>
  readonly links: ValueLinks
  readonly units?: TokenUnits | undefined
  /** The position of the value that `units` are about, among several. */
  readonly amountAt?: number | undefined
  readonly noun?: string
}) => {
  const [only] = types
  if (only === undefined) return <p className="quiet">nothing</p>
  if (types.length === 1 && (only.name ?? "") === "") {
    return <Value type={only} value={values[0]!} links={links} units={units} />
  }
  return (
    <dl className="terms decoded">
      {types.map((type, at) => (
        <div key={AbiForms.labelOf(types, at, noun)}>
          <dt className="mono">{AbiForms.labelOf(types, at, noun)}</dt>
          <dd>
            <Value type={type} value={values[at]!} links={links} units={at === amountAt ? units : undefined} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

const Value = ({
  links,
  type,
  units,
  value
}: {
  readonly type: AbiParameter
  readonly value: AbiValue
  readonly links: ValueLinks
  readonly units?: TokenUnits | undefined
}): ReactNode => {
  if (typeof value === "object") {
    const item = itemOf(type)
    return item === undefined ? (
      <DecodedValues types={type.components ?? []} values={value} links={links} noun="member" />
    ) : (
      <Items item={item} values={value} links={links} />
    )
  }
  if (type.type === "address") {
    const address = String(value)
    return <Hash hex={address} link={ConsoleRoute.link({ _tag: "Account", address, ...links })} />
  }
  if (typeof value === "bigint") {
    return units === undefined ? (
      <span className="number">
        <Digits>{signed(value)}</Digits>
      </span>
    ) : (
      <>
        <span className="number">
          <Digits>{amount(value, units)}</Digits>
        </span>{" "}
        <span className="quiet small">
          {signed(value)} of the smallest unit{units.isVerified === false ? "; the units are claimed" : ""}
        </span>
      </>
    )
  }
  if (type.type === "string") return <bdi className="said">{`"${cut(String(value))}"`}</bdi>
  return <span className="whole">{cut(String(value))}</span>
}

const Items = ({
  item,
  links,
  values
}: {
  readonly item: AbiParameter
  readonly values: ReadonlyArray<AbiValue>
  readonly links: ValueLinks
}) => {
  const [isOpen, setOpen] = useState(false)
  if (values.length === 0) return <span className="quiet">an empty list</span>
  return (
    <>
      <ol className="items" start={0}>
        {(isOpen ? values.slice(0, MOST) : values.slice(0, FIRST)).map((value, at) => (
          // the items of a list never move
          // oxlint-disable-next-line react/no-array-index-key
          <li key={at}>
            <Value type={item} value={value} links={links} />
          </li>
        ))}
      </ol>
      {values.length > FIRST && !isOpen ? (
        <button type="button" className="plain small" onClick={() => setOpen(true)}>
          {count(values.length - FIRST, "more item")}
        </button>
      ) : null}
    </>
  )
}

/** Returns the type of an array's items; undefined for a tuple. */
const itemOf = (type: AbiParameter): AbiParameter | undefined => {
  const [, item] = /^(.*)\[\d*\]$/u.exec(type.type) ?? []
  return item === undefined ? undefined : { ...type, name: "", type: item }
}

const signed = (value: bigint): string => (value < 0n ? `-${grouped(-value)}` : grouped(value))

const cut = (text: string): string =>
  text.length <= MOST ? text : `${text.slice(0, MOST)}… ${count(text.length - MOST, "more character")}`

/** Returns an amount in whole tokens: exact, without trailing zeros. */
export const amount = (value: bigint, { decimals, symbol }: TokenUnits): string => {
  const unit = 10n ** BigInt(decimals)
  const rest = decimals === 0 ? "" : (value % unit).toString().padStart(decimals, "0").replace(/0+$/u, "")
  return `${grouped(value / unit)}${rest === "" ? "" : `.${rest}`} ${symbolOf(symbol)}`.trim()
}

/**
 * Returns a symbol as text beside a number. A contract can name any text, such as one that begins with digits or turns
 * the direction of writing. So it stands in quotes unless it begins with a letter, and has no control characters.
 */
const symbolOf = (symbol: string): string => {
  const shown = Array.from(symbol.replaceAll(/[\p{C}\p{Z}]+/gu, " "))
    .slice(0, 16)
    .join("")
  return shown === "" || /^[\p{L}\p{Sc}][^\s"]*$/u.test(shown) ? shown : `"${shown.replaceAll('"', "'")}"`
}

/** Returns values in a few words, for the end of the line of proof. */
export const shortText = (
  types: ReadonlyArray<AbiParameter>,
  values: ReadonlyArray<AbiValue>,
  units?: TokenUnits
): string => {
  const [value] = values
  if (values.length !== 1 || typeof value === "object") return count(values.length, "value")
  if (value === undefined) return "nothing"
  if (types[0]!.type === "string") return String(value).length > 16 ? `${String(value).slice(0, 15)}…` : String(value)
  if (typeof value !== "bigint") return short(String(value))
  return shortNumber(units === undefined ? signed(value) : amount(value, { ...units, symbol: "" }))
}

/** Returns a number that fits into the marker; the first digits of a longer one. */
const shortNumber = (text: string): string => (text.length <= 14 ? text : `${text.slice(0, 10)}…`)
