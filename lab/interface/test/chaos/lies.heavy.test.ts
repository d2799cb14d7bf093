/** A node that lies beside an honest one, behind a service that proves. */
import { lying } from "../../src/chaos/scenarios/lying.ts"
import * as Chaos from "../support/chaos.ts"

Chaos.holds(lying)
