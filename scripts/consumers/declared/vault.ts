/** Typed paths of structs that contain themselves, as a library would export them. */
import { Accessor } from "@plumbline/storage-layout"

export const vault = Accessor.make({
  storage: [
    { label: "tree", offset: 0, slot: "0", type: "t_tree" },
    { label: "left", offset: 0, slot: "3", type: "t_left" }
  ],
  types: {
    t_tree: {
      encoding: "inplace",
      label: "struct Tree",
      numberOfBytes: "96",
      members: [
        { label: "size", offset: 0, slot: "0", type: "t_uint256" },
        { label: "kids", offset: 0, slot: "1", type: "t_trees" },
        { label: "byName", offset: 0, slot: "2", type: "t_byName" }
      ]
    },
    t_trees: { encoding: "dynamic_array", label: "struct Tree[]", numberOfBytes: "32", base: "t_tree" },
    t_byName: { encoding: "mapping", label: "", numberOfBytes: "32", key: "t_string", value: "t_tree" },
    t_left: {
      encoding: "inplace",
      label: "struct Left",
      numberOfBytes: "32",
      members: [{ label: "rights", offset: 0, slot: "0", type: "t_rights" }]
    },
    t_rights: { encoding: "dynamic_array", label: "struct Right[]", numberOfBytes: "32", base: "t_right" },
    t_right: {
      encoding: "inplace",
      label: "struct Right",
      numberOfBytes: "32",
      members: [{ label: "lefts", offset: 0, slot: "0", type: "t_lefts" }]
    },
    t_lefts: { encoding: "dynamic_array", label: "struct Left[]", numberOfBytes: "32", base: "t_left" },
    t_string: { encoding: "bytes", label: "string", numberOfBytes: "32" },
    t_uint256: { encoding: "inplace", label: "uint256", numberOfBytes: "32" }
  }
} as const)
