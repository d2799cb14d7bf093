// Without a connection there is nowhere to send notifications to, whatever is asked for.
>> {"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["numbers",1]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"notifications not supported"}}
>> {"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["heads"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"notifications not supported"}}
>> {"jsonrpc":"2.0","id":1,"method":"eth_subscribe"}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"notifications not supported"}}

// and no subscription that could be ended
>> {"jsonrpc":"2.0","id":1,"method":"eth_unsubscribe","params":["0x1"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"subscription not found"}}
>> {"jsonrpc":"2.0","id":1,"method":"eth_unsubscribe","params":[]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"missing value for required argument 0"}}

// a namespace without subscriptions has no such methods
>> {"jsonrpc":"2.0","id":1,"method":"net_subscribe","params":["numbers",1]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"the method net_subscribe does not exist/is not available"}}
