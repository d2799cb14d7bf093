/** The logs of a transaction, each as the event that a known ABI has for it. */
import type { Log } from "@plumbline/eth-methods/model/Log"
import { useState } from "react"

import { Hash } from "../look/Hash.tsx"
import { count } from "../look/TextFormats.ts"
import { useAtom } from "../look/useAtom.ts"
import * as ConsoleRoute from "../route/ConsoleRoute.ts"
import { type DecodingPlace, useUnits } from "./DecodedCall.tsx"
import { DecodedValues } from "./DecodedValue.tsx"
import * as Decoding from "./Decoding.ts"
import * as KnownAbis from "./KnownAbis.ts"

import "./contract.css"

/** Number of logs that are shown before the reader asks for more. */
const FIRST = 25

/** Maximum number of characters of a log's data that are shown. */
const MOST = 520

/** The list. */
const DecodedLogs = ({
  logs,
  place
}: {
  readonly logs: ReadonlyArray<Log>
  readonly place: Omit<DecodingPlace, "address">
}) => {
  const [shown, setShown] = useState(FIRST)
  return (
    <>
      <ol className="logs">
        {logs.slice(0, shown).map((log, at) => (
          <DecodedLog key={String(log.logIndex ?? at)} log={log} at={at} place={{ ...place, address: log.address }} />
        ))}
      </ol>
      {logs.length <= shown ? null : (
        <p className="inset ruled">
          <button type="button" className="plain" onClick={() => setShown(shown + 4 * FIRST)}>
            {count(logs.length - shown, "more log")}
          </button>
        </p>
      )}
    </>
  )
}

const DecodedLog = ({ at, log, place }: { readonly log: Log; readonly at: number; readonly place: DecodingPlace }) => {
  const { address, block, network, trust } = place
  const event = Decoding.eventOf(useAtom(KnownAbis.of(network, address)), log)
  const units = useUnits(event?.amountAt === undefined ? undefined : place)
  const links = { network, block: block.hash, trust: block.isReached ? trust : undefined }
  const by = <Hash hex={address} link={ConsoleRoute.link({ _tag: "Account", address, ...links })} />
  return (
    <li className="log decoded-item" data-decoded={event?.by.source ?? "none"}>
      <p className="row wrap">
        <span className="quiet">{at}</span>
        {event === undefined ? <span className="soft">not decoded</span> : <code className="strong">{event.name}</code>}
        <span className="soft">by {by}</span>
        {event === undefined ? null : (
          <span className={`small abi-source ${event.by.source}`} title={Decoding.reasonOfEvent(event)}>
            {event.by.name}
          </span>
        )}
      </p>
      {event === undefined ? (
        <Raw log={log} />
      ) : (
        <>
          <DecodedValues
            types={event.types}
            values={event.values}
            links={links}
            units={units}
            amountAt={event.amountAt}
            noun="value"
          />
          <details>
            <summary className="small soft">Topics and data</summary>
            <p className="small soft mt-2">{Decoding.reasonOfEvent(event)}</p>
            <Raw log={log} />
          </details>
        </>
      )}
    </li>
  )
}

const Raw = ({ log: { data, topics } }: { readonly log: Log }) => (
  <dl className="terms">
    {topics.map((topic, t) => (
      // the order of topics never changes
      // oxlint-disable-next-line react/no-array-index-key
      <div key={t} style={{ display: "contents" }}>
        <dt>topic {t}</dt>
        <dd>
          <Hash hex={topic} />
        </dd>
      </div>
    ))}
    <dt>data</dt>
    <dd className="whole">{data.length > MOST ? `${data.slice(0, MOST)}…` : data}</dd>
  </dl>
)

export default DecodedLogs
