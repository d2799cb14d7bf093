/** The billing card of a project's account: its source and details, and what an operator may change about it. */
import type { AdminClient } from "@plumbline/gateway-admin/api/AdminClient"
import type * as AdminModel from "@plumbline/gateway-admin/api/AdminModel"
import type { Account } from "@plumbline/gateway/accounts/Account"

import { Check, Field, textOf } from "../admin/Fields.tsx"
import { useDialog } from "../admin/OperatorPage.tsx"
import { Permitted } from "../admin/Permitted.tsx"
import { ResourceDialog } from "../admin/ResourceDialog.tsx"
import { count } from "../look/TextFormats.ts"

type Details = typeof AdminModel.Card.Type

type Payer = Account & { readonly projects: number }

/** The panel. */
export const BillingCardPanel = ({
  again,
  card,
  payer
}: {
  readonly card: Details
  readonly payer: Payer
  readonly again: () => void
}) => {
  const { ask, asked, close } = useDialog<"edit" | "end">(again)
  const canEnd = card.card || card.customer !== null
  return (
    <section className="sheet" aria-labelledby="card-title">
      <header>
        <h2 id="card-title">Billing card</h2>
        <Permitted to="accounts.setCard" isSilent>
          <button type="button" className="button small-button" onClick={() => ask("edit")}>
            Edit…
          </button>
        </Permitted>
      </header>
      <dl className="facts">
        <div>
          <dt>Card</dt>
          <dd>{cardOf(card)}</dd>
        </div>
        <div>
          <dt>Customer</dt>
          <dd>{card.customer === null ? <span className="soft">not linked</span> : <code>{card.customer}</code>}</dd>
        </div>
        <div>
          <dt>Account</dt>
          <dd>
            {payer.name}, {projectsOf(payer)}
          </dd>
        </div>
      </dl>
      {canEnd ? (
        <Permitted to="accounts.setCard" isSilent>
          <p className="inset ruled row">
            <button type="button" className="plain small" onClick={() => ask("end")}>
              End the card…
            </button>
          </p>
        </Permitted>
      ) : null}
      {asked === "edit" ? <EditCard card={card} payer={payer} onClose={close} /> : null}
      {asked === "end" ? <EndCard card={card} payer={payer} onClose={close} /> : null}
    </section>
  )
}

/** Returns a card in words: its source, and the details by which its owner recognises it. */
const cardOf = ({ brand, card, expiry, last4, source }: Details): string => {
  if (!card) return "none"
  if (source !== "provider") return "on, set by an operator"
  const until = expiry === null ? "" : `, until ${String(expiry.month).padStart(2, "0")}/${expiry.year}`
  return `${brand ?? "card"}${last4 === null ? "" : ` …${last4}`}${until}, from the payment provider`
}

const projectsOf = ({ projects }: Payer): string =>
  projects >= 1000
    ? "which has 1,000 projects or more"
    : projects === 1
      ? "for this project alone"
      : `for ${count(projects, "project")}`

const EditCard = ({
  card,
  onClose,
  payer
}: {
  readonly card: Details
  readonly payer: Payer
  readonly onClose: () => void
}) => {
  const isProvided = card.source === "provider"
  const change = (data: FormData) => {
    const customer = textOf(data, "customer")
    const next = customer === "" ? null : customer
    const changes = {
      ...(isProvided || data.has("card") === card.card ? {} : { card: data.has("card") }),
      ...(next === card.customer ? {} : { customer: next })
    }
    if (Object.keys(changes).length === 0) return undefined
    return (client: AdminClient) => client.accounts.setCard({ params: { id: payer.id }, payload: changes })
  }
  return (
    <ResourceDialog title={`Billing card of ${payer.name}`} confirm="Save" onClose={onClose} change={change}>
      {isProvided ? (
        <p>
          The payment provider keeps a card: {cardOf(card)}. Its details change with the provider, which tells this
          service.
        </p>
      ) : (
        <Check name="card" isOn={card.card}>
          The account has a billing card, because you say so
        </Check>
      )}
      <Field
        name="customer"
        label="Customer of the payment provider"
        defaultValue={card.customer ?? ""}
        placeholder="cus_…"
        maxLength={256}
        spellCheck={false}
        hint="The card that the provider keeps for this customer counts, until it expires. Empty: no customer."
      />
      <p className="small quiet">
        A card opens IPFS, and the networks that ask for one, within a second. It counts {projectsOf(payer)}. Never type
        the number of a card: this service does not take it.
      </p>
    </ResourceDialog>
  )
}

const EndCard = ({
  card,
  onClose,
  payer
}: {
  readonly card: Details
  readonly payer: Payer
  readonly onClose: () => void
}) => {
  return (
    <ResourceDialog
      title={`End the billing card of ${payer.name}`}
      confirm="End the card"
      onClose={onClose}
      change={() => (client) =>
        client.accounts.setCard({
          params: { id: payer.id },
          payload: { card: false, ...(card.customer === null ? {} : { customer: null }) }
        })
      }
    >
      <ul className="points">
        <li>IPFS, and the networks that ask for a card, refuse calls with 403 within a second.</li>
        <li>It holds {projectsOf(payer)}. Keys, limits, pins and usage stay.</li>
        {card.customer === null ? null : (
          <li>The link to the customer {card.customer} ends. At the provider nothing changes: the card stays there.</li>
        )}
      </ul>
    </ResourceDialog>
  )
}
