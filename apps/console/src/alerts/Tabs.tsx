/** The tabs of the two screens about alerts: the thresholds, and the webhooks that receive the alerts. */
import * as Place from "../route/Place.ts"

/** The links between the two screens. */
export const Tabs = ({ current }: { readonly current: "Alerts" | "Webhooks" }) => (
  <nav className="seg" aria-label="Alerts">
    {(["Alerts", "Webhooks"] as const).map((name) => (
      <a key={name} href={Place.link({ _tag: name }).href} aria-current={name === current ? "page" : undefined}>
        {name === "Alerts" ? "Thresholds" : "Webhooks"}
      </a>
    ))}
  </nav>
)
