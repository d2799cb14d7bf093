/** The tabs of the two screens about alerts: the thresholds, and the webhooks that receive the alerts. */
import * as ConsoleRoute from "../route/ConsoleRoute.ts"

/** The links between the two screens. */
export const AlertTabs = ({ current }: { readonly current: "Alerts" | "Webhooks" }) => (
  <nav className="seg" aria-label="Alerts">
    {(["Alerts", "Webhooks"] as const).map((name) => (
      <a key={name} href={ConsoleRoute.link({ _tag: name }).href} aria-current={name === current ? "page" : undefined}>
        {name === "Alerts" ? "Thresholds" : "Webhooks"}
      </a>
    ))}
  </nav>
)
