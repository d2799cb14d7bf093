/** A line that says how this page reads a network, and lets the reader choose if there are several ways. */
import * as Option from "effect/Option"
import * as AsyncResult from "effect/reactivity/AsyncResult"

import * as PageSession from "../chain/PageSession.ts"
import * as ReadTransport from "../chain/ReadTransport.ts"
import { setAtom, useAtom } from "../look/useAtom.ts"

/** The line. */
export const TransportNote = ({ network }: { readonly network: string }) => {
  const start = Option.getOrUndefined(AsyncResult.value(useAtom(PageSession.start)))
  const session = useAtom(ReadTransport.session)
  const key = useAtom(PageSession.key)
  const preferred = useAtom(ReadTransport.preferred)
  const found = [...(start?.networks ?? []), ...(start?.secondChains ?? [])].find(({ name }) => name === network)
  if (found === undefined) return null
  const ways = ReadTransport.readTransports(found, { session, key })
  const way = ReadTransport.choose(ways, preferred)
  return (
    <p className="small soft" data-way={way?._tag ?? "None"}>
      {way === undefined
        ? `This page reads ${network} with an API key, and has none yet.`
        : `This page reads ${network} ${ReadTransport.toSentence(way)}.`}{" "}
      {ways.length < 2 ? null : (
        <label>
          Read it{" "}
          <select
            aria-label={`The way to read ${network}`}
            value={way?._tag}
            onChange={({ target }) =>
              setAtom(ReadTransport.preferred, target.value as ReadTransport.ReadTransport["_tag"])
            }
          >
            {ways.map(({ _tag }) => (
              <option key={_tag} value={_tag}>
                {NAMES[_tag]}
              </option>
            ))}
          </select>
        </label>
      )}
    </p>
  )
}

const NAMES: Readonly<Record<ReadTransport.ReadTransport["_tag"], string>> = {
  Session: "with the operator's session",
  Key: "with the key",
  Loopback: "without a key"
}
