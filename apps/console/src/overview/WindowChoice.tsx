/** The choice of the time whose usage is shown. */
import * as ConsoleRoute from "../route/ConsoleRoute.ts"
import { WINDOWS } from "./windows.ts"

/** The choice: a link for each window, to `place` with that window. */
export const WindowChoice = ({
  place,
  shown
}: {
  readonly place: Extract<ConsoleRoute.ConsoleRoute, { readonly _tag: "Overview" | "Project" }>
  readonly shown: ConsoleRoute.UsageWindow
}) => (
  <nav className="seg" aria-label="Window">
    {ConsoleRoute.windows.map((one) => (
      <a
        key={one}
        href={ConsoleRoute.link({ ...place, window: one }).href}
        aria-current={one === shown ? "true" : undefined}
      >
        {WINDOWS[one].short}
      </a>
    ))}
  </nav>
)
