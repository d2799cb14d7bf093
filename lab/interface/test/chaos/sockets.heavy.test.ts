/** Many idle sockets, many subscribers, and more calls than can be answered. */
import { idle } from "../../src/chaos/scenarios/idle.ts"
import { saturation } from "../../src/chaos/scenarios/saturation.ts"
import { subscribers } from "../../src/chaos/scenarios/subscribers.ts"
import * as Chaos from "../support/chaos.ts"

Chaos.holds(idle)
Chaos.holds(saturation)
Chaos.holds(subscribers)
