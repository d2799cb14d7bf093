// The id comes first, then the notifications.
>> {"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["numbers",2]}
<< {"jsonrpc":"2.0","id":1,"result":"$a"}
<- {"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"$a","result":"1"}}
<- {"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"$a","result":"2"}}

// also in a batch, whose answer comes when all of it is done
>> [{"jsonrpc":"2.0","id":2,"method":"eth_subscribe","params":["numbers",1]},{"jsonrpc":"2.0","id":3,"method":"wait","params":["x"]}]

>> {"jsonrpc":"2.0","id":4,"method":"ping"}
<< {"jsonrpc":"2.0","id":4,"result":"pong"}
>> {"jsonrpc":"2.0","method":"release","params":["x"]}
<< [{"jsonrpc":"2.0","id":2,"result":"$b"},{"jsonrpc":"2.0","id":3,"result":"x"}]
<- {"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"$b","result":"1"}}

// It is ended by its id, once.
>> {"jsonrpc":"2.0","id":5,"method":"eth_unsubscribe","params":["$a"]}
<< {"jsonrpc":"2.0","id":5,"result":true}
>> {"jsonrpc":"2.0","id":6,"method":"eth_unsubscribe","params":["$a"]}
<< {"jsonrpc":"2.0","id":6,"error":{"code":-32000,"message":"subscription not found"}}
>> {"jsonrpc":"2.0","id":7,"method":"eth_unsubscribe","params":["0x0"]}
<< {"jsonrpc":"2.0","id":7,"error":{"code":-32000,"message":"subscription not found"}}
>> {"jsonrpc":"2.0","id":8,"method":"eth_unsubscribe","params":[1]}
<< {"jsonrpc":"2.0","id":8,"error":{"code":-32602,"message":"invalid argument 0: Expected string"}}
>> {"jsonrpc":"2.0","id":9,"method":"eth_unsubscribe","params":{"subscription":"$b"}}
<< {"jsonrpc":"2.0","id":9,"error":{"code":-32602,"message":"non-array args"}}
>> {"jsonrpc":"2.0","id":9,"method":"eth_unsubscribe","params":["$b"]}
<< {"jsonrpc":"2.0","id":9,"result":true}

// One that ends by itself is ended.
>> {"jsonrpc":"2.0","id":10,"method":"eth_subscribe","params":["short"]}
<< {"jsonrpc":"2.0","id":10,"result":"$c"}
<- {"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"$c","result":"all"}}
>> {"jsonrpc":"2.0","id":11,"method":"eth_unsubscribe","params":["$c"]}
<< {"jsonrpc":"2.0","id":11,"error":{"code":-32000,"message":"subscription not found"}}

// What is refused, in geth's words
>> {"jsonrpc":"2.0","id":12,"method":"eth_subscribe","params":["heads"]}
<< {"jsonrpc":"2.0","id":12,"error":{"code":-32601,"message":"no \"heads\" subscription in eth namespace"}}
>> {"jsonrpc":"2.0","id":13,"method":"eth_subscribe","params":[]}
<< {"jsonrpc":"2.0","id":13,"error":{"code":-32602,"message":"expected subscription name as first argument"}}
>> {"jsonrpc":"2.0","id":14,"method":"eth_subscribe"}
<< {"jsonrpc":"2.0","id":14,"error":{"code":-32602,"message":"non-array args"}}
>> {"jsonrpc":"2.0","id":15,"method":"eth_subscribe","params":{"subscription":"short"}}
<< {"jsonrpc":"2.0","id":15,"error":{"code":-32602,"message":"non-array args"}}
>> {"jsonrpc":"2.0","id":16,"method":"eth_subscribe","params":["numbers"]}
<< {"jsonrpc":"2.0","id":16,"error":{"code":-32602,"message":"missing value for required argument 1"}}
>> {"jsonrpc":"2.0","id":17,"method":"eth_subscribe","params":["numbers","2"]}
<< {"jsonrpc":"2.0","id":17,"error":{"code":-32602,"message":"invalid argument 1: Expected number"}}
>> {"jsonrpc":"2.0","id":18,"method":"eth_subscribe","params":["refused"]}
<< {"jsonrpc":"2.0","id":18,"error":{"code":-32005,"message":"limit exceeded"}}

// A notification asks for nothing that anybody would hear of.
>> {"jsonrpc":"2.0","method":"eth_subscribe","params":["numbers",1]}
<<

// Three at a time are allowed here.
>> [{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["silence"]},{"jsonrpc":"2.0","id":2,"method":"eth_subscribe","params":["silence"]},{"jsonrpc":"2.0","id":3,"method":"eth_subscribe","params":["silence"]},{"jsonrpc":"2.0","id":4,"method":"eth_subscribe","params":["silence"]}]
<< [{"jsonrpc":"2.0","id":1,"result":"$d"},{"jsonrpc":"2.0","id":2,"result":"$e"},{"jsonrpc":"2.0","id":3,"result":"$f"},{"jsonrpc":"2.0","id":4,"error":{"code":-32005,"message":"too many subscriptions, want at most 3"}}]
>> {"jsonrpc":"2.0","id":5,"method":"eth_unsubscribe","params":["$e"]}
<< {"jsonrpc":"2.0","id":5,"result":true}
>> {"jsonrpc":"2.0","id":6,"method":"eth_subscribe","params":["silence"]}
<< {"jsonrpc":"2.0","id":6,"result":"$g"}
