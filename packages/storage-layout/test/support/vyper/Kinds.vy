# pragma version ^0.4.0
struct Point:
    x: uint8
    y: int128

flag Role:
    ADMIN
    USER

small: public(uint8)
signed: public(int128)
on: public(bool)
owner: public(address)
tag: public(bytes4)
word: public(bytes32)
name: public(String[40])
blob: public(Bytes[33])
three: public(uint16[3])
grid: public(uint8[2][3])
list: public(DynArray[uint64, 5])
tags: public(DynArray[bytes4, 3])
names: public(DynArray[String[40], 3])
lists: public(DynArray[DynArray[uint8, 3], 2])
point: public(Point)
role: public(Role)
balances: public(HashMap[address, uint256])
signs: public(HashMap[int128, uint8])
byTag: public(HashMap[bytes4, uint256])
byName: public(HashMap[String[40], uint256])
byBlob: public(HashMap[Bytes[33], uint256])
allowed: public(HashMap[address, HashMap[uint256, bool]])
after: public(uint256)
lock: transient(uint256)

@deploy
def __init__():
    self.small = 200
    self.signed = -5
    self.on = True
    self.owner = 0x00000000219ab540356cBB839Cbe05303d7705Fa
    self.tag = 0xdeadbeef
    self.word = keccak256("word")
    self.name = "a name of more than thirty-two bytes."
    self.blob = b"\x00\xff"
    self.three = [1, 2, 3]
    self.grid = [[1, 2], [3, 4], [5, 6]]
    self.list = [7, 8, 9]
    self.tags = [0x01020304, 0x05060708]
    self.names = ["one", "two"]
    self.lists = [[1, 2], [3]]
    self.point = Point(x=9, y=-9)
    self.role = Role.USER
    self.balances[self.owner] = 11
    self.signs[-2] = 12
    self.byTag[0x01020304] = 13
    self.byName["bob"] = 14
    self.byBlob[b"\x01\x02"] = 15
    self.allowed[self.owner][7] = True
    self.after = 16
    self.lock = 1
