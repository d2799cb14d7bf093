// The answers of a batch are in the order of its calls. Here a batch may have five calls.

-> [{"jsonrpc":"2.0","id":1,"method":"eth_chainId"},{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}]
=> eth_chainId []
=> eth_chainId []
<- [{"jsonrpc":"2.0","id":1,"result":"0x7a69"},{"jsonrpc":"2.0","id":1,"result":"0x7a69"}]
-> [1,{"jsonrpc":"2.0","id":"b","method":"eth_chainId"},{"id":3},{"jsonrpc":"2.0","method":"eth_chainId"}]
=> eth_chainId []
=> eth_chainId []
<- [{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request"}},{"jsonrpc":"2.0","id":"b","result":"0x7a69"},{"jsonrpc":"2.0","id":3,"error":{"code":-32600,"message":"invalid request"}}]

// An error of the node affects only the call that caused it.
-> [{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[{"to":"0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd"}]},{"jsonrpc":"2.0","id":2,"method":"eth_mine"}]
=> eth_call [{"to":"0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd"}]
<- [{"jsonrpc":"2.0","id":1,"error":{"code":3,"message":"execution reverted","data":"0x08c379a0"}},{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"the method eth_mine does not exist/is not available"}}]

-> []
<- {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"empty batch"}}
-> [1,[2],"3"]
<- [{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request"}},{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request"}},{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request"}}]
-> [1,{"jsonrpc":"2.0","id":7,"method":"eth_chainId"},3,4,5,6]
<- [{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"batch too large"}}]
-> [{"jsonrpc":"2.0","method":"eth_chainId"},{"jsonrpc":"2.0","method":"eth_mine"}]
=> eth_chainId []
