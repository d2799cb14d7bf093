/** The limits of a project and of its keys, and the amount of each limit that is used now. */
import { Fragment, type ReactNode } from "react"

import { Meter } from "../look/Meter.tsx"
import { grouped } from "../look/TextFormats.ts"
import type { ProjectRead } from "./projectReads.ts"
import { COUNTED_FROM, usedAndLeft } from "./quotaWords.ts"

/** The panel. */
export const ProjectLimitsPanel = ({
  read: {
    keys: { keys },
    project: { limits },
    standing: { counted, day, keys: ofKeys, rate, underWay }
  }
}: {
  readonly read: ProjectRead
}) => {
  const ipfs = [
    ["IPFS reads per second", limits.ipfsReadsPerSecond],
    ["IPFS writes per second", limits.ipfsWritesPerSecond],
    ["IPFS bytes stored", limits.ipfsStored],
    ["IPFS bytes uploaded per day", limits.ipfsUploadedPerDay],
    ["IPFS bytes downloaded per day", limits.ipfsDownloadedPerDay]
  ] as const
  const isNone = day === null && rate === null && underWay === null
  return (
    <section className="sheet limits-of" aria-labelledby="limits-title">
      <header>
        <h2 id="limits-title">Limits</h2>
        <span className="small soft">{counted ? "now" : "the store of limits does not answer"}</span>
      </header>
      {day === null ? null : <Day name="Credits per day" day={day} />}
      {rate === null ? null : (
        <Limit
          name="Credits per second"
          share={rate.current / rate.allowed}
          text={`${grouped(Math.round(rate.current))} of ${grouped(rate.allowed)}, bursts to ${grouped(rate.burst)}`}
        />
      )}
      {underWay === null ? null : (
        <Limit
          name="Calls at a time"
          share={underWay.current / underWay.allowed}
          text={`${underWay.current} of ${grouped(underWay.allowed)}`}
        />
      )}
      {isNone && counted ? (
        <p className="inset soft">
          {ofKeys == null || ofKeys.length === 0
            ? "Credits and calls are not limited, of the project or of a key."
            : "Credits and calls of the project are not limited, but those of a key are."}
        </p>
      ) : null}
      {(ofKeys ?? []).map(({ day, key: id, rate }) => {
        const key = keys.find((key) => key.id === id)
        const name = `Key ${key?.start ?? ""}… ${key?.label ?? ""}`.trimEnd()
        return (
          <Fragment key={id}>
            {day === null ? null : <Day name={`${name}: credits per day`} day={day} />}
            {rate === null ? null : (
              <Limit
                name={`${name}: requests per second`}
                share={rate.current / rate.allowed}
                text={`${grouped(Math.round(rate.current))} of ${grouped(rate.allowed)}, bursts to ${grouped(rate.burst)}`}
              />
            )}
          </Fragment>
        )
      })}
      {ipfs.some(([, value]) => value !== undefined) ? (
        <dl className="facts">
          {ipfs.map(([name, value]) =>
            value === undefined ? null : (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{grouped(value)}</dd>
              </div>
            )
          )}
        </dl>
      ) : null}
    </section>
  )
}

const Day = ({
  day: { allowed, endsAt, used },
  name
}: {
  readonly name: string
  readonly day: NonNullable<ProjectRead["standing"]["day"]>
}) => (
  <Limit name={name} share={allowed === 0 ? 1 : used / allowed} text={usedAndLeft({ allowed, used })}>
    {used < allowed
      ? COUNTED_FROM
      : `Calls are refused with 429 until ${new Date(endsAt).toISOString().slice(11, 16)} UTC, when the next day begins. Raise the limit with Edit.`}
  </Limit>
)

const Limit = ({
  children,
  name,
  share,
  text
}: {
  readonly name: string
  readonly share: number
  readonly text: string
  readonly children?: ReactNode
}) => (
  <div className="limit inset">
    <p>
      <b>{name}</b>
      <span className="soft">{text}</span>
    </p>
    <Meter label={name} share={share} />
    {children === undefined || children === null ? null : <p className="small">{children}</p>}
  </div>
)
