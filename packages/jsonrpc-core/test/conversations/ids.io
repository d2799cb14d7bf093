// An id comes back byte for byte.
>> {"jsonrpc":"2.0","id":1.0,"method":"ping"}
<< {"jsonrpc":"2.0","id":1.0,"result":"pong"}
>> {"jsonrpc":"2.0","id":1e3,"method":"ping"}
<< {"jsonrpc":"2.0","id":1e3,"result":"pong"}
>> {"jsonrpc":"2.0","id":-0,"method":"ping"}
<< {"jsonrpc":"2.0","id":-0,"result":"pong"}
>> {"jsonrpc":"2.0","id":1.5,"method":"ping"}
<< {"jsonrpc":"2.0","id":1.5,"result":"pong"}
>> {"jsonrpc":"2.0","id":18446744073709551615,"method":"ping"}
<< {"jsonrpc":"2.0","id":18446744073709551615,"result":"pong"}
>> {"jsonrpc":"2.0","id":1e999,"method":"ping"}
<< {"jsonrpc":"2.0","id":1e999,"result":"pong"}
>> {"jsonrpc":"2.0","id":"\u0061\"\\","method":"ping"}
<< {"jsonrpc":"2.0","id":"\u0061\"\\","result":"pong"}
>> {"jsonrpc":"2.0","id":"漢字 😀","method":"ping"}
<< {"jsonrpc":"2.0","id":"漢字 😀","result":"pong"}
>> {"jsonrpc":"2.0","id":"","method":"ping"}
<< {"jsonrpc":"2.0","id":"","result":"pong"}

// null is an id: the request is no notification
>> {"jsonrpc":"2.0","id":null,"method":"ping"}
<< {"jsonrpc":"2.0","id":null,"result":"pong"}

// white space around it is not part of it
>> {"jsonrpc":"2.0","id" : 	7 ,"method":"ping"}
<< {"jsonrpc":"2.0","id":7,"result":"pong"}

// the last of two counts, and a name may be written with escapes
>> {"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}
<< {"jsonrpc":"2.0","id":2,"result":"pong"}
>> {"jsonrpc":"2.0","id":1,"\u0069d":2,"method":"ping"}
<< {"jsonrpc":"2.0","id":2,"result":"pong"}
>> {"jsonrpc":"2.0","id":{},"i\u0064":2,"method":"ping"}
<< {"jsonrpc":"2.0","id":2,"result":"pong"}
>> {"jsonrpc":"2.0","id":1,"id":{},"method":"ping"}
<< {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request"}}

// members called id elsewhere are not the id
>> {"jsonrpc":"2.0","params":[{"id":9}],"method":"echo","id":1}
<< {"jsonrpc":"2.0","id":1,"result":{"id":9}}
>> {"jsonrpc":"2.0","method":"echo","params":["\",\"id\":9"],"id":1}
<< {"jsonrpc":"2.0","id":1,"result":"\",\"id\":9"}

// objects, arrays and booleans are no ids
>> {"jsonrpc":"2.0","id":{},"method":"ping"}
<< {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request"}}
>> {"jsonrpc":"2.0","id":[1],"method":"ping"}
<< {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request"}}
>> {"jsonrpc":"2.0","id":true,"method":"ping"}
<< {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request"}}
