/** Lets an embedded node lie for a minute, reads a block from it, and shows what the caller got. */
import { useEffect, useState } from "react"

/** The state: the node is honest, or lies until a time, in milliseconds. */
type Told = { readonly until: number; readonly said: string } | undefined

/** The button. While the node lies, the answer of the service to a caller is in its place. */
export const LetItLie = ({ network }: { readonly network: string }) => {
  const [told, tell] = useState<Told>(undefined)
  useEffect(() => {
    if (told === undefined) return undefined
    const timer = setTimeout(() => tell(undefined), told.until - Date.now())
    return () => clearTimeout(timer)
  }, [told])
  const begin = (): void =>
    void lieOnce(network).then(tell, (error: unknown) => tell({ until: Date.now() + 5000, said: String(error) }))
  return (
    <span className="lets-lie" role="status">
      {told === undefined ? (
        <>
          <button type="button" className="plain small" onClick={begin}>
            Let it lie for a minute
          </button>{" "}
          <span className="small soft">Callers of {network} are refused its lies meanwhile.</span>
        </>
      ) : (
        told.said
      )}
    </span>
  )
}

/** Begins the lie, and asks the service for a block, as a caller would. */
const lieOnce = async (network: string): Promise<Told> => {
  const begun = await fetch(`/console/api/lie/${network}`, { method: "POST", headers: { "x-plumbline-console": "1" } })
  if (!begun.ok) return { until: Date.now() + 5000, said: await begun.text() }
  const { until } = (await begun.json()) as { readonly until: string }
  const answer = await fetch(`/console/api/read/${network}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_getBlockByNumber", params: ["latest", false] })
  })
  const { error } = (await answer.json()) as { readonly error?: { readonly message?: string } }
  const said = error?.message === undefined ? "The caller got an answer." : `The caller got: ${error.message}`
  return { until: Date.parse(until), said: `It lies until ${until.slice(11, 19)} UTC. ${said}` }
}
