// In geth's words
>> {"jsonrpc":"2.0","id":1,"method":"subtract"}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"missing value for required argument 0"}}
>> {"jsonrpc":"2.0","id":1,"method":"subtract","params":[1]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"missing value for required argument 1"}}
>> {"jsonrpc":"2.0","id":1,"method":"subtract","params":[1,null]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"missing value for required argument 1"}}
>> {"jsonrpc":"2.0","id":1,"method":"subtract","params":[1,2,3]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"too many arguments, want at most 2"}}
>> {"jsonrpc":"2.0","id":1,"method":"ping","params":[null]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"too many arguments, want at most 0"}}

// what is wrong, not what was sent
>> {"jsonrpc":"2.0","id":1,"method":"subtract","params":["hunter2",1]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"invalid argument 0: Expected number"}}

// by name
>> {"jsonrpc":"2.0","id":1,"method":"subtract","params":{"minuend":1}}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"missing value for required argument 1"}}
>> {"jsonrpc":"2.0","id":1,"method":"subtract","params":{"minuend":1,"subtrahend":2,"hunter2":3}}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"unknown parameter name, want minuend, subtrahend"}}
>> {"jsonrpc":"2.0","id":1,"method":"subtract","params":{"minuend":1,"subtrahend":2,"__proto__":3}}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"unknown parameter name, want minuend, subtrahend"}}
>> {"jsonrpc":"2.0","id":1,"method":"ping","params":{}}
<< {"jsonrpc":"2.0","id":1,"result":"pong"}
>> {"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":1}}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"unknown parameter name, want none"}}

// optional parameters: absent, null, given
>> {"jsonrpc":"2.0","id":1,"method":"describe","params":["a"]}
<< {"jsonrpc":"2.0","id":1,"result":"a, nothing, nothing"}
>> {"jsonrpc":"2.0","id":1,"method":"describe","params":["a",null,"3"]}
<< {"jsonrpc":"2.0","id":1,"result":"a, nothing, 3"}
>> {"jsonrpc":"2.0","id":1,"method":"describe","params":{"third":"3","first":"a"}}
<< {"jsonrpc":"2.0","id":1,"result":"a, nothing, 3"}
>> {"jsonrpc":"2.0","id":1,"method":"describe","params":["a","2"]}
<< {"jsonrpc":"2.0","id":1,"result":"a, 2, nothing"}
>> {"jsonrpc":"2.0","id":1,"method":"describe","params":["a",2]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"invalid argument 1: Expected string"}}
