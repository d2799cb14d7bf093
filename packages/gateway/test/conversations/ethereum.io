// The real methods: the parameters that geth accepts, and the errors of nodes.

// A block is named by its number, a tag, its hash, or an object of EIP-1898. null names no block, as in geth.
-> {"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","latest"]}
=> eth_getBalance ["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","latest"]
<- {"jsonrpc":"2.0","id":1,"result":"0x0"}
-> {"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","0x10"]}
=> eth_getBalance ["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","0x10"]
<- {"jsonrpc":"2.0","id":1,"result":"0x0"}
-> {"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd",{"blockNumber":"0x10"}]}
=> eth_getBalance ["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd",{"blockNumber":"0x10"}]
<- {"jsonrpc":"2.0","id":1,"result":"0x0"}
-> {"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd",{"blockHash":"0xcccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc"}]}
=> eth_getBalance ["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd",{"blockHash":"0xcccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc"}]
<- {"jsonrpc":"2.0","id":1,"result":"0x0"}
-> {"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd",{"blockHash":"0xcccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc","requireCanonical":false}]}
=> eth_getBalance ["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd",{"blockHash":"0xcccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc","requireCanonical":false}]
<- {"jsonrpc":"2.0","id":1,"result":"0x0"}
-> {"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd",null]}
=> eth_getBalance ["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd"]
<- {"jsonrpc":"2.0","id":1,"result":"0x0"}

// The object must have exactly one of the two members, with a valid value.
-> {"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd",{"blockNumber":"0x10","blockHash":"0xabababababababababababababababababababababababababababababababab"}]}
<- {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"invalid argument 1: blockNumber: Expected no value beside blockHash"}}
-> {"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd",{}]}
<- {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"invalid argument 1: blockNumber: Missing key"}}
-> {"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd",{"blockNumber":16}]}
<- {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"invalid argument 1: blockNumber: Expected a number in hex, or a tag: latest, earliest, pending, safe or finalized"}}
-> {"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd",{"blockHash":"0x10"}]}
<- {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"invalid argument 1: blockHash: Expected 0x hex data of 32 bytes"}}
-> {"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd",{"blockHash":"0xabababababababababababababababababababababababababababababababab","requireCanonical":1}]}
<- {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"invalid argument 1: requireCanonical: Expected boolean | null"}}
-> {"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","0x010"]}
<- {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"invalid argument 1: Expected a 0x quantity without leading zeros"}}
-> {"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","newest"]}
<- {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"invalid argument 1: Expected a number in hex, or a tag: latest, earliest, pending, safe or finalized"}}

// The errors of a node are passed on, with their text and code.
-> {"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","0x1"]}
=> eth_getBalance ["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","0x1"]
<- {"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"header not found"}}
-> {"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","0x2"]}
=> eth_getBalance ["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","0x2"]
<- {"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"missing trie node cd (path ) state 0xcd is not available"}}
-> {"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","0x3"]}
=> eth_getBalance ["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","0x3"]
<- {"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"request timed out"}}
-> {"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","0x4"]}
=> eth_getBalance ["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","0x4"]
<- {"jsonrpc":"2.0","id":1,"error":{"code":-32005,"message":"limit exceeded"}}
-> {"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","0x5"]}
=> eth_getBalance ["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","0x5"]
<- {"jsonrpc":"2.0","id":1,"error":{"code":4444,"message":"pruned history unavailable"}}
-> {"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","0xabababababababababababababababababababababababababababababababab"]}
=> eth_getBalance ["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","0xabababababababababababababababababababababababababababababababab"]
<- {"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"header for hash not found"}}
-> {"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd",{"blockHash":"0xabababababababababababababababababababababababababababababababab"}]}
=> eth_getBalance ["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd",{"blockHash":"0xabababababababababababababababababababababababababababababababab"}]
<- {"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"Resource not found"}}
-> {"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd",{"blockHash":"0xabababababababababababababababababababababababababababababababab","requireCanonical":true}]}
=> eth_getBalance ["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd",{"blockHash":"0xabababababababababababababababababababababababababababababababab","requireCanonical":true}]
<- {"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"hash is not currently canonical"}}

// The block of eth_getStorageAt may be left out, as in geth. A slot may be short, have an odd number of digits or lack
// its leading zeros. A slot of more than 32 bytes is invalid.
-> {"jsonrpc":"2.0","id":1,"method":"eth_getStorageAt","params":["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","0x1"]}
=> eth_getStorageAt ["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","0x0000000000000000000000000000000000000000000000000000000000000001"]
<- {"jsonrpc":"2.0","id":1,"result":"0x0000000000000000000000000000000000000000000000000000000000000001"}
-> {"jsonrpc":"2.0","id":1,"method":"eth_getStorageAt","params":["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","0x101","latest"]}
=> eth_getStorageAt ["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","0x0000000000000000000000000000000000000000000000000000000000000101","latest"]
<- {"jsonrpc":"2.0","id":1,"result":"0x0000000000000000000000000000000000000000000000000000000000000001"}
-> {"jsonrpc":"2.0","id":1,"method":"eth_getStorageAt","params":["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","0x000000000000000000000000000000000000000000000000000000000000000000","latest"]}
<- {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"invalid argument 1: Expected 0x and up to 64 hex digits"}}
-> {"jsonrpc":"2.0","id":1,"method":"eth_getStorageAt","params":["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","0xzz","latest"]}
<- {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"invalid argument 1: Expected 0x and up to 64 hex digits"}}

// eth_getProof accepts a list of slots.
-> {"jsonrpc":"2.0","id":1,"method":"eth_getProof","params":["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd",["0x0","0x0000000000000000000000000000000000000000000000000000000000000002"],"latest"]}
=> eth_getProof ["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd",["0x0000000000000000000000000000000000000000000000000000000000000000","0x0000000000000000000000000000000000000000000000000000000000000002"],"latest"]
<- {"jsonrpc":"2.0","id":1,"result":null}
-> {"jsonrpc":"2.0","id":1,"method":"eth_getProof","params":["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","0x0","latest"]}
<- {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"invalid argument 1: Expected array"}}
-> {"jsonrpc":"2.0","id":1,"method":"eth_getProof","params":["0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd",["0x000000000000000000000000000000000000000000000000000000000000000000"],"latest"]}
<- {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"invalid argument 1: 0: Expected 0x and up to 64 hex digits"}}

// Subscriptions are not available here.
-> {"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}
<- {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"the method eth_subscribe does not exist/is not available"}}
