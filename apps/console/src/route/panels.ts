/** The ids of panels of the overview that links from other screens name. */

/** The panel of the nodes that lied. */
export const NODES_THAT_LIED = "nodes-that-lied"
