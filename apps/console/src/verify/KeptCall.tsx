/** Shows the call that a bundle keeps. The screen does not run it: the virtual machine is larger than the whole page. */
import type { BundleCall } from "@plumbline/proof-bundle/bundle/BundleCall"

import { Table, TableRow } from "../look/Table.tsx"
import { grouped } from "../look/TextFormats.ts"

export const KeptCall = ({ call, file }: { readonly call: BundleCall; readonly file: string }) => {
  const { request, rules, signature } = call
  const rows: ReadonlyArray<readonly [name: string, text: string | undefined]> = [
    ["function", signature],
    ["to", request.to ?? "a new contract"],
    ["from", request.from],
    ["data", shortened(request.input ?? "0x")],
    ["value", request.value === undefined ? undefined : `${grouped(request.value)} wei`],
    ["gas", request.gas === undefined ? undefined : grouped(request.gas)],
    ["rules", `chain ${rules.chainId}, ${rules.hardfork}`]
  ]
  return (
    <section className="sheet mt-4">
      <header>
        <h2>A call</h2>
        <span className="small soft">not run in this page</span>
      </header>
      <div className="inset">
        <p className="soft">
          The bundle holds the state that this call reads. The question, its rules and the name of the function are the
          maker&apos;s word. To see the outcome, run <code>plumbline verify {file} --trust &lt;block hash&gt;</code>.
        </p>
      </div>
      <Table columns={["Part", { name: "Value", className: "whole" }]} isHeadSpoken>
        {rows.map(([name, text]) => (text === undefined ? null : <TableRow key={name} cells={[name, text]} />))}
      </Table>
    </section>
  )
}

/** Maximum number of characters of the data that are shown: a call may send a megabyte. */
const MAX_DATA = 1000

const shortened = (data: string): string => (data.length > MAX_DATA ? `${data.slice(0, MAX_DATA)}...` : data)
