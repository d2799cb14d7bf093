// A version other than the string 2.0, with the id where it can be read
>> {"id":1,"method":"ping"}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"invalid request"}}
>> {"jsonrpc":"1.0","id":"a","method":"ping"}
<< {"jsonrpc":"2.0","id":"a","error":{"code":-32600,"message":"invalid request"}}
>> {"jsonrpc":2.0,"id":1,"method":"ping"}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"invalid request"}}
>> {"jsonrpc":"2.0","jsonrpc":"1.0","id":1,"method":"ping"}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"invalid request"}}

// no method, or one that is no string
>> {"jsonrpc":"2.0","id":1}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"invalid request"}}
>> {"jsonrpc":"2.0","id":1,"method":null}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"invalid request"}}
>> {"jsonrpc":"2.0","id":1,"method":["ping"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"invalid request"}}

// parameters that are neither array nor object; null counts as none, as in geth
>> {"jsonrpc":"2.0","id":1,"method":"ping","params":"x"}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"invalid request"}}
>> {"jsonrpc":"2.0","id":1,"method":"ping","params":0}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"invalid request"}}
>> {"jsonrpc":"2.0","id":1,"method":"ping","params":false}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"invalid request"}}
>> {"jsonrpc":"2.0","id":1,"method":"ping","params":null}
<< {"jsonrpc":"2.0","id":1,"result":"pong"}

// an invalid request without an id is no notification
>> {"jsonrpc":"2.0","method":"ping","params":1}
<< {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request"}}

// JSON that is no object
>> 5
<< {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request"}}
>> null
<< {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request"}}
>> "ping"
<< {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request"}}
>> {}
<< {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request"}}

// not JSON
>> {"jsonrpc":"2.0","id":1,"method":"ping"
<< {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}
>> {"jsonrpc":"2.0","id":1,"method":"ping"}}
<< {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}
>> {"jsonrpc":"2.0","id":01,"method":"ping"}
<< {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}
>> {'jsonrpc':'2.0','id':1,'method':'ping'}
<< {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}

// more members than there should be do no harm, whatever they are called
>> {"jsonrpc":"2.0","id":1,"method":"ping","__proto__":{"params":1},"constructor":null,"extra":[1]}
<< {"jsonrpc":"2.0","id":1,"result":"pong"}
>> {"__proto__":{"jsonrpc":"2.0","id":1,"method":"ping"}}
<< {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request"}}
>> {"jsonrpc":"2.0","id":1,"method":"__proto__"}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"the method __proto__ does not exist/is not available"}}
>> {"jsonrpc":"2.0","id":1,"method":"toString"}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"the method toString does not exist/is not available"}}
>> {"jsonrpc":"2.0","id":1,"method":""}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"the method  does not exist/is not available"}}
